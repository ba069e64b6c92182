const NOT_BASE64 = 0xff;
const SEXTET_OF = buildTable();

/**
 * Decodes standard base64 that is split at arbitrary positions. Node's decoder ignores invalid bytes and accepts the
 * URL alphabet, which would silently turn a damaged model into a different model.
 */
export class Base64Decoder {
  #bits = 0;
  #sextets = 0;

  /**
   * Decodes until the first byte that is not base64, the end of the piece, or a full target (which must have space for
   * at least three bytes). Returns where it stopped and the number of bytes written.
   */
  decode(piece: Uint8Array, from: number, target: Uint8Array): { next: number; written: number } {
    let next = from;
    let written = 0;
    while (next < piece.length && written + 3 <= target.length) {
      if (this.#sextets === 0) {
        const run = decodeWholeGroups(piece, next, target, written);
        written += ((run - next) / 4) * 3;
        next = run;
        if (next === piece.length || written + 3 > target.length) break;
      }
      const sextet = SEXTET_OF[piece[next] as number] as number;
      if (sextet === NOT_BASE64) break;
      next += 1;
      written += this.#add(sextet, target, written);
    }
    return { next, written };
  }

  /** Number of `=` characters required at the current position. */
  get missingPadding(): number {
    return (4 - this.#sextets) % 4;
  }

  /** Writes the last one or two bytes. Returns undefined if the end is invalid: a lone character or stray bits. */
  finish(target: Uint8Array): number | undefined {
    if (this.#sextets === 0) return 0;
    if (this.#sextets === 1) return undefined;
    const spareBits = this.#sextets === 2 ? 4 : 2;
    if ((this.#bits & ((1 << spareBits) - 1)) !== 0) return undefined;
    const value = this.#bits >> spareBits;
    const count = this.#sextets - 1;
    if (count === 2) target[0] = value >> 8;
    target[count - 1] = value & 0xff;
    return count;
  }

  #add(sextet: number, target: Uint8Array, at: number): number {
    this.#bits = (this.#bits << 6) | sextet;
    this.#sextets += 1;
    if (this.#sextets < 4) return 0;
    target[at] = this.#bits >> 16;
    target[at + 1] = (this.#bits >> 8) & 0xff;
    target[at + 2] = this.#bits & 0xff;
    this.#bits = 0;
    this.#sextets = 0;
    return 3;
  }
}

/** Hot loop: decodes four characters at a time while all are base64 and fit into the target. */
function decodeWholeGroups(piece: Uint8Array, from: number, target: Uint8Array, at: number): number {
  const groups = Math.min((piece.length - from) >> 2, Math.floor((target.length - at) / 3));
  const end = from + groups * 4;
  let next = from;
  let out = at;
  while (next < end) {
    const a = SEXTET_OF[piece[next] as number] as number;
    const b = SEXTET_OF[piece[next + 1] as number] as number;
    const c = SEXTET_OF[piece[next + 2] as number] as number;
    const d = SEXTET_OF[piece[next + 3] as number] as number;
    if ((a | b | c | d) > 63) break;
    target[out] = (a << 2) | (b >> 4);
    target[out + 1] = ((b & 15) << 4) | (c >> 2);
    target[out + 2] = ((c & 3) << 6) | d;
    next += 4;
    out += 3;
  }
  return next;
}

function buildTable(): Uint8Array {
  const table = new Uint8Array(256).fill(NOT_BASE64);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let index = 0; index < alphabet.length; index += 1) table[alphabet.charCodeAt(index)] = index;
  return table;
}
