import { createHash, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

/** A token for a link in an email. Only the digest is stored. */
interface LinkToken {
  readonly token: string;
  readonly digest: Buffer;
}

/** Creates an unguessable token for a link. */
export function makeLinkToken(): LinkToken {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  return { token, digest: digestLinkToken(token) };
}

/** Returns the digest by which a presented token is looked up. */
export function digestLinkToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
