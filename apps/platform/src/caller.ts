import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";

/** Who makes a management call, as the database says at this moment. */
export interface Caller {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly isEmailVerified: boolean;
  readonly hasTotp: boolean;
  readonly sessionId: string;
  readonly sessionExpiresAt: Date;
  /** When a password was last shown in this session. */
  readonly authenticatedAt: Date;
  /** The active organization of the session, or the one this request names; null when there is none to act in. */
  readonly organization: { readonly id: string; readonly role: OrganizationRole } | null;
  /** The token came as a cookie: changes need more proof of where they come from. */
  readonly isCookie: boolean;
}

/** Where a request came from, for throttles and the audit log. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}
