import { createHash, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

/** What a link in a mail carries. Only the digest is stored. */
export interface LinkToken {
  readonly token: string;
  readonly digest: Buffer;
}

/** A new secret for a link, which nobody can guess. */
export function makeLinkToken(): LinkToken {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  return { token, digest: digestLinkToken(token) };
}

/** What a token that somebody shows is looked up by. */
export function digestLinkToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
