/** Returns the base64 length of `byteLength` bytes, including padding. */
export function base64Length(byteLength: number): number {
  return Math.ceil(byteLength / 3) * 4;
}

/**
 * Yields padded base64 text as ASCII pieces, cut between groups so that they join seamlessly. A piece is valid until
 * the next one is requested: large pieces share one buffer, because a model's worth of buffers would pile up before
 * garbage collection.
 */
export async function* base64Chunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let carried: Uint8Array = new Uint8Array(0);
  let shared = Buffer.alloc(0);
  for await (const piece of pieces) {
    // Up to two leftover bytes are joined with the start of the next piece to complete a group.
    const borrowed = carried.length === 0 ? 0 : Math.min(3 - carried.length, piece.length);
    const head = Buffer.concat([carried, piece.subarray(0, borrowed)]);
    if (head.length === 3) yield encode(head, Buffer.allocUnsafe(4));
    else if (head.length > 0) {
      carried = head;
      continue;
    }
    const wholeEnd = piece.length - ((piece.length - borrowed) % 3);
    if (wholeEnd > borrowed) {
      const length = base64Length(wholeEnd - borrowed);
      if (length > shared.length) shared = Buffer.allocUnsafeSlow(length);
      // A writer that buffers small pieces without waiting may not have sent the last piece yet.
      const target = length < SMALL_BYTES ? Buffer.allocUnsafe(length) : shared;
      yield encode(piece.subarray(borrowed, wholeEnd), target);
    }
    carried = piece.slice(wholeEnd);
  }
  if (carried.length > 0) yield encode(carried, Buffer.allocUnsafe(4));
}

/** Size below which a piece is small. It is larger than the high-water mark of streams. */
const SMALL_BYTES = 128 * 1024;

/** Number of bytes encoded per step: a multiple of three, and small enough for short-lived intermediate strings. */
const GROUP_BYTES = 48 * 1024;

function encode(bytes: Uint8Array, target: Buffer): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let written = 0;
  for (let at = 0; at < view.length; at += GROUP_BYTES) {
    written += target.write(view.toString("base64", at, at + GROUP_BYTES), written, "latin1");
  }
  return target.subarray(0, written);
}
