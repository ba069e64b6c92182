import type { ParticipantFailure } from "../participant-failure.ts";
import { Base64Decoder } from "./base64-decoder.ts";
import { malformed } from "./malformed.ts";
import type { Spool } from "./spool.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PADDING = 0x3d;
const SLASH = Uint8Array.of(0x2f);

/** Extracts one base64 string from a JSON body, without its quotes, into a spool. */
export class ParameterString {
  readonly spool: Spool;
  /** Field name for error messages. */
  readonly #name: string;
  readonly #scratch: Uint8Array;
  readonly #decoder = new Base64Decoder();
  #padding = 0;
  #expectedPadding = 0;
  #escaped = false;
  #closed = false;

  /** `scratch` belongs to the reader and is shared by all strings in a body. */
  constructor(name: string, spool: Spool, scratch: Uint8Array) {
    this.#name = name;
    this.spool = spool;
    this.#scratch = scratch;
  }

  /** True once the closing quote has been reached. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Decodes from `from` and returns where it stopped: at the closing quote, which it does not consume, or at the end
   * of the piece.
   */
  async read(piece: Uint8Array, from: number, offset: number): Promise<number> {
    let at = from;
    while (at < piece.length) {
      if (!this.#escaped && this.#padding === 0) {
        at = await this.#decode(piece, at);
        if (at === piece.length) break;
      }
      const byte = piece[at] as number;
      if (this.#escaped) {
        // Some encoders write every slash as \/, which is the same character in JSON.
        if (byte !== SLASH[0]) throw this.#invalid("an escape other than \\/", offset + at);
        this.#escaped = false;
        await this.#decode(SLASH, 0);
      } else if (byte === QUOTE) {
        await this.#close(offset + at);
        break;
      } else if (byte === BACKSLASH && this.#padding === 0) {
        this.#escaped = true;
      } else if (byte === PADDING) {
        this.#pad(offset + at);
      } else {
        throw this.#invalid("a character outside the alphabet", offset + at);
      }
      at += 1;
    }
    return at;
  }

  async #decode(piece: Uint8Array, from: number): Promise<number> {
    let at = from;
    while (true) {
      const { next, written } = this.#decoder.decode(piece, at, this.#scratch);
      if (written > 0) await this.spool.write(this.#scratch.subarray(0, written));
      if (next === at || next === piece.length) return next;
      at = next;
    }
  }

  #pad(position: number): void {
    if (this.#padding === 0) this.#expectedPadding = this.#decoder.missingPadding;
    this.#padding += 1;
    if (this.#padding > this.#expectedPadding || this.#expectedPadding === 3) {
      throw this.#invalid("padding where none belongs", position);
    }
  }

  async #close(position: number): Promise<void> {
    if (this.#padding > 0 && this.#padding !== this.#expectedPadding) {
      throw this.#invalid("incomplete padding", position);
    }
    const written = this.#decoder.finish(this.#scratch);
    if (written === undefined) throw this.#invalid("an end that no encoder writes", position);
    if (written > 0) await this.spool.write(this.#scratch.subarray(0, written));
    this.#closed = true;
  }

  #invalid(problem: string, position: number): ParticipantFailure {
    return malformed(`${this.#name} is not valid base64`, { problem, position });
  }
}
