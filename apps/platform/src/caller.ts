import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";

/** The caller of a management operation, with current data from the database. */
export interface Caller {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly isEmailVerified: boolean;
  readonly hasTotp: boolean;
  readonly sessionId: string;
  readonly sessionExpiresAt: Date;
  /** Time of the last password entry in this session. */
  readonly authenticatedAt: Date;
  /** The organization named in the request, or the session's active organization; null if there is none. */
  readonly organization: { readonly id: string; readonly role: OrganizationRole } | null;
  /** True if the token came in a cookie. In that case, changes require proof of their origin. */
  readonly isCookie: boolean;
}

/** Origin of a request, for throttles and the audit log. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}
