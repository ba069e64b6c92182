/**
 * A large body in pieces, which are sent as they are. Most of them are parts of a body as it was received, so that
 * changing a member doesn't copy the others.
 */
export class BodyPieces {
  readonly pieces: readonly Buffer[];
  /** Number of bytes of all pieces. */
  readonly length: number;

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Returns the bytes in one piece. */
  join(): Buffer {
    const [first] = this.pieces;
    return this.pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.pieces, this.length);
  }

  toString(encoding: BufferEncoding): string {
    return this.join().toString(encoding);
  }

  /** Returns the first bytes, at most this many, one character per byte. */
  beginning(length: number): string {
    return latin1(this.#between(0, Math.min(length, this.length)));
  }

  /** Returns the last bytes, at most this many, one character per byte. */
  ending(length: number): string {
    return latin1(this.#between(Math.max(0, this.length - length), this.length));
  }

  /** Returns the body with other bytes from `start` to `end`. */
  replace(start: number, end: number, bytes: Buffer): BodyPieces {
    return new BodyPieces([...this.#between(0, start), bytes, ...this.#between(end, this.length)]);
  }

  /** Returns the parts of the pieces between two positions. */
  #between(start: number, end: number): Buffer[] {
    const parts: Buffer[] = [];
    let at = 0;
    for (const piece of this.pieces) {
      const from = Math.max(0, start - at);
      const to = Math.min(piece.length, end - at);
      if (from < to) parts.push(from === 0 && to === piece.length ? piece : piece.subarray(from, to));
      at += piece.length;
      if (at >= end) break;
    }
    return parts;
  }
}

function latin1(parts: readonly Buffer[]): string {
  let text = "";
  for (const part of parts) text += part.toString("latin1");
  return text;
}

/** Minimum memory of a piece, so that a body that arrives in small reads doesn't have thousands of pieces. */
const MIN_PIECE_BYTES = 16 * 1024;

/** Collects a body of unknown length. Each byte is copied once, and no memory is reserved for what has not arrived. */
export class PieceCollector {
  readonly #pieces: Buffer[] = [];
  /** Number of unused bytes at the end of the last piece. */
  #unused = 0;

  /** Adds bytes, which are valid only during this call. */
  add(bytes: Buffer): void {
    const last = this.#pieces.at(-1);
    const copied = last === undefined || this.#unused === 0 ? 0 : bytes.copy(last, last.length - this.#unused);
    this.#unused -= copied;
    const left = bytes.length - copied;
    if (left === 0) return;
    const piece = Buffer.allocUnsafeSlow(Math.max(left, MIN_PIECE_BYTES));
    bytes.copy(piece, 0, copied);
    this.#pieces.push(piece);
    this.#unused = piece.length - left;
  }

  /** Returns what has been collected. */
  take(): BodyPieces {
    const last = this.#pieces.pop();
    if (last !== undefined) this.#pieces.push(last.subarray(0, last.length - this.#unused));
    this.#unused = 0;
    return new BodyPieces(this.#pieces);
  }
}
