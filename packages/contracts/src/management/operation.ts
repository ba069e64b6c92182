import type { TSchema } from "typebox";

/** What an operation answers under one status. */
export interface ManagementAnswerDescription {
  readonly description: string;
  /** What is not in the schema is not sent, whatever the handler returns. */
  readonly schema?: TSchema;
  readonly contentType?: string;
}

/**
 * One row of the table of management operations: policy, documentation and tests all read it. An entry that does not
 * decide who may call it, whose rows it sees and what it may cost does not type-check.
 */
export interface ManagementOperationDescription {
  readonly id: string;
  readonly summary: string;
  readonly tag: ManagementTag;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Such as `/api/gw/teams/{id}`. */
  readonly path: `/api/${string}`;
  /** `administrator`: of the platform. `signature`: the body itself proves its sender. */
  readonly auth: "none" | "user" | "administrator" | "signature";
  /** How often it may be called; the class has the numbers. */
  readonly rate: RateClass;
  /** Whether a repeated request with the same key answers as the first; for changes that must not happen twice. */
  readonly idempotency: "none" | "honoured" | "required";
  /** Needs a password (and code) shown in the last ten minutes: money, prices, roles, credentials. */
  readonly recentAuthentication: boolean;
  readonly bodyLimitBytes: number;
  readonly timeoutMs: number;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The body is handed on as bytes of this type, and read by whoever gets them. */
  readonly rawBody?: "application/json" | "multipart/form-data";
  /** Headers it needs besides those of every operation, each with what it says. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<number, ManagementAnswerDescription>>;
}

export type ManagementTag =
  | "identity"
  | "organizations"
  | "teams"
  | "keys"
  | "catalogue"
  | "credits"
  | "usage"
  | "messages"
  | "relay"
  | "webhooks"
  | "training"
  | "admin"
  | "system";

export type RateClass = "read" | "write" | "sign-up" | "login" | "form-login" | "reset" | "invite" | "unlimited";

/** Of bodies, in bytes: a few fields; a login's are fewer, and anyone may send them. */
export const SMALL_BODY = 64 * 1024;
export const LOGIN_BODY = 4 * 1024;
