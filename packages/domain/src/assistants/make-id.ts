import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 24;
/** Bytes at or above this value would make the first characters more frequent than the other characters. */
const FAIR_BELOW = 256 - (256 % ALPHABET.length);

type RecordPrefix = "asst" | "thread" | "msg" | "run" | "step" | "call";

/** Creates an ID such as `asst_…`: the record prefix and 24 random characters. */
export function makeRecordId(prefix: RecordPrefix, random: (size: number) => Uint8Array = randomBytes): string {
  let text = "";
  while (text.length < LENGTH) {
    for (const byte of random(LENGTH)) {
      if (byte < FAIR_BELOW && text.length < LENGTH) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${prefix}_${text}`;
}
