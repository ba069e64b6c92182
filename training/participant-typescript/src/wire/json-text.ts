import { isUtf8 } from "node:buffer";
import { tooLarge } from "./malformed.ts";

const FIRST_BYTES = 4096;
/** Maximum text length, below V8's maximum string length of 536,870,888 characters. */
const MAX_TEXT_BYTES = 500 * 1024 * 1024;

/** The part of a JSON body that is collected as text as it arrives. */
export class JsonText {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  length = 0;

  append(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > MAX_TEXT_BYTES) throw tooLarge("json", MAX_TEXT_BYTES);
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(length, this.#buffer.length * 2), MAX_TEXT_BYTES));
      this.#buffer.copy(larger, 0, 0, this.length);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.length);
    this.length = length;
  }

  /** Parses the string literal from `from` to the end of the text. */
  literalSince(from: number): string {
    return String(JSON.parse(this.#buffer.toString("utf8", from, this.length)));
  }

  get isUtf8(): boolean {
    return isUtf8(this.#buffer.subarray(0, this.length));
  }

  /** Parses the text. Releases the bytes first, so that only the text and the objects are in memory. */
  parse(): unknown {
    const bytes = this.#buffer.subarray(0, this.length);
    const text = bytes.toString("utf8");
    this.#buffer = Buffer.alloc(0);
    this.length = 0;
    return JSON.parse(text);
  }
}
