import type { Operation } from "../operations.ts";

/**
 * An operation of the management API. A row type-checks only if it defines who may call the operation, whose rows it
 * sees, and what it may cost.
 */
export interface ManagementOperationDescription extends Operation {
  readonly tag: ManagementTag;
  /** The operation's only path. For example, `/api/gw/teams/{id}`. */
  readonly path: `/api/${string}`;
  /** `administrator`: a platform administrator. `signature`: the body is signed by its sender. */
  readonly auth: "none" | "user" | "administrator" | "signature";
  /** Rate limit class. */
  readonly rate: RateClass;
  /** Defines the handling of idempotency keys, for changes that must not happen twice. */
  readonly idempotency: "none" | "honored" | "required";
  /**
   * Requires the password (and one-time code) to have been confirmed in the last ten minutes. Used for money, prices,
   * roles, and credentials.
   */
  readonly recentAuthentication: boolean;
  /** The body is passed to the handler as bytes, without validation. */
  readonly isBodyRaw?: boolean;
  /** Additional required headers, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
}

type ManagementTag =
  | "identity"
  | "organizations"
  | "teams"
  | "keys"
  | "catalog"
  | "credits"
  | "usage"
  | "messages"
  | "relay"
  | "webhooks"
  | "training"
  | "admin"
  | "system";

export type RateClass = "read" | "write" | "sign-up" | "login" | "form-login" | "reset" | "invite" | "unlimited";

/**
 * Body size limits in bytes: one for bodies with a few fields, and a smaller one for logins, which need no
 * authentication.
 */
export const SMALL_BODY = 64 * 1024;
export const LOGIN_BODY = 4 * 1024;
