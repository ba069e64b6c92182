/**
 * A large body in pieces, which are sent as they are. Most of them are parts of the caller's body, so that changing a
 * member doesn't copy the others.
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
    return Buffer.concat(this.pieces, this.length);
  }

  toString(encoding: BufferEncoding): string {
    return this.join().toString(encoding);
  }
}
