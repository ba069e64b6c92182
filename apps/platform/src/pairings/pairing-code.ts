import { createHash, randomBytes } from "node:crypto";

/** Letters and digits that aren't easily confused with each other when read aloud. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 8;
/** The largest multiple of the alphabet's length that fits in a byte. Higher byte values would bias the result. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/**
 * Generates a code for users to compare or type, such as `7Q4K-M2XD`. The code has 39 bits of entropy and is valid for
 * ten minutes and a few attempts.
 */
export function makePairingCode(): string {
  let code = "";
  while (code.length < LENGTH) {
    const letters = [...randomBytes(LENGTH)]
      .filter((byte) => byte < FAIR_BYTES)
      .map((byte) => ALPHABET[byte % ALPHABET.length]);
    code += letters.join("").slice(0, LENGTH - code.length);
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Normalizes a typed code. An invalid code stays invalid, so no pairing is found for it. */
export function normalizePairingCode(text: string): string {
  const bare = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return `${bare.slice(0, 4)}-${bare.slice(4)}`;
}

/** Returns the digest by which a code is looked up. */
export function digestPairingCode(code: string): Buffer {
  return createHash("sha256").update(normalizePairingCode(code)).digest();
}
