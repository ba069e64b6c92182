import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PLATFORM_PREFIX = "sk-tg-";
const RANDOM_LENGTH = 42;
const CHECKSUM_LENGTH = 6;
const MAX_KEY_LENGTH = 256;

/** ID of the master key, which has no database row. Other keys' IDs start with `key_`. */
export const MASTER_KEY_ID = "master";

/** Creates a platform key: 250 random bits and a checksum that detects typing errors without a lookup. */
export function makeApiKey(pickIndex: (limit: number) => number = randomInt): string {
  let body = PLATFORM_PREFIX;
  for (let index = 0; index < RANDOM_LENGTH; index += 1) body += ALPHABET[pickIndex(ALPHABET.length)];
  return body + checksumOf(body);
}

/** Returns the hash stored for a key. Keys have so much entropy that a slow hash wouldn't add security. */
export function hashApiKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/** Reports whether the text can be a key. Platform keys contain a checksum. Any other `sk-` text needs a lookup. */
export function isWellFormedKey(key: string): boolean {
  if (!key.startsWith("sk-") || key.length > MAX_KEY_LENGTH) return false;
  if (!key.startsWith(PLATFORM_PREFIX)) return true;
  const length = PLATFORM_PREFIX.length + RANDOM_LENGTH;
  return key.length === length + CHECKSUM_LENGTH && key.slice(length) === checksumOf(key.slice(0, length));
}

/** Returns the display form of a stored key: enough to recognize it, but too little to use it. */
export function maskKey(prefix: string, lastFour: string): string {
  return `${prefix}…${lastFour}`;
}

function checksumOf(text: string): string {
  let value = crc32(text);
  let checksum = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    checksum = ALPHABET[value % ALPHABET.length] + checksum;
    value = Math.floor(value / ALPHABET.length);
  }
  return checksum;
}
