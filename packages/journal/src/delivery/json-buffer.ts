const START_BYTES = 64 * 1_024;
/** Space that is always left for literals and numbers, between two strings. */
const HEADROOM_BYTES = 2_048;
/** Below this length, copying byte by byte is cheaper than a call into the runtime. */
const SHORT_BYTES = 48;
const TWO_32 = 2 ** 32;
/** Upper half of the first amount that a number can't represent exactly. */
const UNSAFE_UPPER = 2 ** 21;
const BILLION = 1_000_000_000;
const ZERO = 48;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const CLOSE_LIST = 93;

/** Encodes text that is written many times. */
export const literal = (text: string): Buffer => Buffer.from(text);

/** Returns the JSON text of a value of any kind. Replaces null characters, which PostgreSQL can't store. */
export const jsonOf = (value: unknown): string => JSON.stringify(value, replaceNulls);

/**
 * JSON text as bytes, in memory that is reused. Literals and numbers are not checked for space. Every other method
 * leaves enough space for all of them that an event has between two strings.
 */
export class JsonBuffer {
  #bytes = Buffer.allocUnsafeSlow(START_BYTES);
  #end = 0;

  clear(): void {
    this.#end = 0;
  }

  /** The text so far. Its memory is reused after `clear`. */
  get text(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Ends a list. A comma after its last element is replaced. */
  endList(): void {
    if (this.#bytes[this.#end - 1] === COMMA) this.#end -= 1;
    this.#bytes[this.#end] = CLOSE_LIST;
    this.#end += 1;
  }

  /** Writes a literal. */
  put(text: Buffer): void {
    const bytes = this.#bytes;
    const { length } = text;
    const end = this.#end;
    if (length > SHORT_BYTES) text.copy(bytes, end);
    else for (let index = 0; index < length; index += 1) bytes[end + index] = text[index] as number;
    this.#end = end + length;
  }

  /** Writes prepared JSON text of any length. */
  putPrepared(text: Buffer): void {
    this.#reserve(text.length);
    this.#end += text.copy(this.#bytes, this.#end);
  }

  /** Writes a string in quotes. Plain ASCII is copied; other text is decoded and escaped. */
  putText(source: Buffer, start: number, end: number, encoding: "latin1" | "utf8"): void {
    this.#reserve(end - start + 2);
    const bytes = this.#bytes;
    let at = this.#end;
    bytes[at++] = QUOTE;
    for (let index = start; index < end; index += 1) {
      const code = source[index] as number;
      if (code < 32 || code > 126 || code === QUOTE || code === BACKSLASH) {
        this.putValue(source.toString(encoding, start, end));
        return;
      }
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#end = at;
  }

  /** Writes a value of any kind. Replaces null characters, which PostgreSQL can't store. */
  putValue(value: unknown): void {
    const text = jsonOf(value);
    this.#reserve(3 * text.length);
    this.#end += this.#bytes.write(text, this.#end);
  }

  /** Writes a number as `JSON.stringify` does. */
  putNumber(value: number): void {
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER && Math.floor(value) === value) this.#putInteger(value);
    else this.putValue(value);
  }

  /** Writes the 64-bit integer at `offset`. No amount is rounded: one that a number can't represent is a bigint. */
  putAmount(view: DataView, offset: number): void {
    const upper = view.getInt32(offset + 4, true);
    if (upper >= 0 && upper < UNSAFE_UPPER) this.#putInteger(upper * TWO_32 + view.getUint32(offset, true));
    else this.#end += this.#bytes.write(view.getBigInt64(offset, true).toString(), this.#end);
  }

  #reserve(byteLength: number): void {
    const needed = this.#end + byteLength + HEADROOM_BYTES;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, needed));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }

  #putInteger(value: number): void {
    if (value < BILLION) {
      this.#putDigits(value | 0, countDigits(value | 0));
      return;
    }
    let upper = Math.floor(value / BILLION);
    // The quotient is rounded and may be one too large.
    if (upper * BILLION > value) upper -= 1;
    this.#putDigits(upper | 0, countDigits(upper | 0));
    this.#putDigits((value - upper * BILLION) | 0, 9);
  }

  #putDigits(value: number, digits: number): void {
    const bytes = this.#bytes;
    let left = value;
    for (let at = this.#end + digits - 1; at >= this.#end; at -= 1) {
      const rest = (left / 10) | 0;
      bytes[at] = ZERO + left - rest * 10;
      left = rest;
    }
    this.#end += digits;
  }
}

/** Returns the number of digits of an integer from 0 to 2³¹ - 1. */
function countDigits(value: number): number {
  if (value < 10) return 1;
  if (value < 100) return 2;
  if (value < 1_000) return 3;
  if (value < 10_000) return 4;
  if (value < 100_000) return 5;
  if (value < 1_000_000) return 6;
  if (value < 10_000_000) return 7;
  if (value < 100_000_000) return 8;
  return value < BILLION ? 9 : 10;
}

const replaceNulls = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value;
