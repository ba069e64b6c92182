/** Signs and reads the tokens of sessions. */
export interface TokenIssuer {
  issue(claims: SessionClaims): Promise<IssuedToken>;
  /** The claims of a token that we signed and that is in order; an expired one says so and still tells whose it was. */
  read(token: string): Promise<ReadToken>;
  /** A minute's pass for another process of this installation, such as a gateway. */
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

/** What a pass is for, and what the books call such a request. */
export type InternalTokenPurpose = "platform.messages" | "platform.relay" | "assistants.run" | "platform.health";

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export type ReadToken =
  | { readonly kind: "valid" | "expired"; readonly claims: SessionClaims; readonly expiresAt: Date }
  | { readonly kind: "invalid" };
