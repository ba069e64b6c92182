/** Signs and verifies session tokens. */
export interface TokenIssuer {
  issue(claims: SessionClaims): Promise<IssuedToken>;
  /**
   * Returns the claims of a valid token. For an expired token, reports that it has expired and also returns its claims.
   */
  read(token: string): Promise<ReadToken>;
  /** Issues an internal token, valid for one minute, for another process such as a gateway. */
  issueInternal(claims: InternalClaims): Promise<string>;
}

export interface SessionClaims {
  readonly userId: number;
  readonly sessionId: string;
  readonly jti: string;
  readonly role: string;
}

export interface InternalClaims {
  readonly audience: "gateway";
  readonly keyId: string;
  readonly purpose: InternalTokenPurpose;
}

/** Purpose of an internal token, also recorded as the request's endpoint in the ledger. */
export type InternalTokenPurpose = "platform.messages" | "platform.relay" | "assistants.run" | "platform.health";

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export type ReadToken =
  | { readonly kind: "valid" | "expired"; readonly claims: SessionClaims; readonly expiresAt: Date }
  | { readonly kind: "invalid" };
