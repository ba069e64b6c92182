import { createHash, randomBytes } from "node:crypto";

/** Letters and digits that nobody takes for each other when they are read aloud. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 8;
/** The greatest multiple of the alphabet's length that a byte holds: what is above it would favour some letters. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/** A code that a person compares or types, such as `7Q4K-M2XD`: 39 bits, for ten minutes and a few tries. */
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

/** The code as it is written, however it was typed; what it cannot be stays what it is, and is found nowhere. */
export function normalizePairingCode(text: string): string {
  const bare = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return `${bare.slice(0, 4)}-${bare.slice(4)}`;
}

/** What a code that somebody shows is looked up by. */
export function digestPairingCode(code: string): Buffer {
  return createHash("sha256").update(normalizePairingCode(code)).digest();
}
