import { randomInt } from "node:crypto";
import { ParticipantFailure } from "../participant-failure.ts";

/**
 * Maximum number of distinct field names. Rows normally repeat their names. Millions of distinct names would block
 * JSON.parse for minutes.
 */
const MAX_NAMES = 262_144;
/** Random hash seed, so that attackers cannot choose colliding names. */
const HASH_START = randomInt(2 ** 32);
const HASH_PRIME = 0x01000193;

/** Counts the distinct field names in a body by hash, as they arrive. */
export class FieldNames {
  readonly #hashes = new Set<number>();
  #hash = 0;

  begin(): void {
    this.#hash = HASH_START;
  }

  /** Adds a part of the current name. */
  add(part: Uint8Array): void {
    for (const byte of part) this.addByte(byte);
  }

  addByte(byte: number): void {
    this.#hash = Math.imul(this.#hash ^ byte, HASH_PRIME);
  }

  /** Ends the current name. Throws if there are too many distinct names. */
  end(): void {
    this.#hashes.add(this.#hash);
    if (this.#hashes.size <= MAX_NAMES) return;
    const message = `the body has more than ${MAX_NAMES} distinct field names`;
    throw new ParticipantFailure("PAYLOAD_TOO_LARGE", message, { details: { limitNames: MAX_NAMES } });
  }
}
