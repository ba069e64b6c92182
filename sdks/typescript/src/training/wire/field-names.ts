import { randomInt } from "node:crypto";
import { ParticipantFailure } from "../participant-failure.ts";

/** Rows repeat the names of their fields. Millions of different ones would keep JSON.parse busy for minutes. */
const MAX_NAMES = 262_144;
/** Where the hash of a name starts: not known outside, so that nobody can choose names with one hash. */
const HASH_START = randomInt(2 ** 32);
const HASH_PRIME = 0x01000193;

/** Counts the different names of fields in a body, by their hashes, while they arrive. */
export class FieldNames {
  readonly #hashes = new Set<number>();
  #hash = 0;

  begin(): void {
    this.#hash = HASH_START;
  }

  /** Takes a part of the name. */
  add(part: Uint8Array): void {
    for (const byte of part) this.addByte(byte);
  }

  addByte(byte: number): void {
    this.#hash = Math.imul(this.#hash ^ byte, HASH_PRIME);
  }

  /** Throws when there are too many. */
  end(): void {
    this.#hashes.add(this.#hash);
    if (this.#hashes.size <= MAX_NAMES) return;
    const message = `the body has more than ${MAX_NAMES} distinct field names`;
    throw new ParticipantFailure("PAYLOAD_TOO_LARGE", message, { details: { limitNames: MAX_NAMES } });
  }
}
