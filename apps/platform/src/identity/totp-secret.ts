import { randomBytes } from "node:crypto";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";

/** As long as the digest the codes are made with. */
const SECRET_BYTES = 20;

/** What seals the secret of one person's codes: it opens for nobody else's. */
const totpPurpose = (userId: number): string => `totp:${userId}`;

/** A new secret and its sealed form. */
export function makeTotpSecret(
  secrets: SecretBox,
  userId: number,
): { readonly secret: Buffer; readonly sealed: string } {
  const secret = randomBytes(SECRET_BYTES);
  return { secret, sealed: secrets.seal(secret.toString("base64url"), totpPurpose(userId)) };
}

export function openTotpSecret(secrets: SecretBox, userId: number, sealed: string): Buffer {
  return Buffer.from(secrets.open(sealed, totpPurpose(userId)), "base64url");
}
