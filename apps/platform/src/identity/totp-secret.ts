import { randomBytes } from "node:crypto";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";

/** Length of a secret in bytes, equal to the length of the digest that codes are derived from. */
const SECRET_BYTES = 20;

/** Returns the purpose string for encryption, which binds a secret to its user. */
const totpPurpose = (userId: number): string => `totp:${userId}`;

/** Creates a secret and its encrypted form. */
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
