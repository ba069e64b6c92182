/** How many characters `byteLength` bytes become, padding included. */
export function base64Length(byteLength: number): number {
  return Math.ceil(byteLength / 3) * 4;
}

/**
 * The padded base64 text of some bytes as ASCII pieces; cuts fall between groups, so the pieces join seamlessly. A piece
 * is good until the next one is asked for: large ones share one buffer, or a model's worth of them would wait in memory
 * for the garbage collector.
 */
export async function* base64Chunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let carried: Uint8Array = new Uint8Array(0);
  let shared = Buffer.alloc(0);
  for await (const piece of pieces) {
    // At most two bytes wait for the next piece: they are joined with just enough of it to make a whole group.
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
      // A writer that buffers small pieces without waiting may not have sent the last one yet.
      const target = length < SMALL_BYTES ? Buffer.allocUnsafe(length) : shared;
      yield encode(piece.subarray(borrowed, wholeEnd), target);
    }
    carried = piece.slice(wholeEnd);
  }
  if (carried.length > 0) yield encode(carried, Buffer.allocUnsafe(4));
}

/** More than streams buffer before they ask their writer to wait. */
const SMALL_BYTES = 128 * 1024;

/** Small enough that the strings made on the way die young; a multiple of three. */
const GROUP_BYTES = 48 * 1024;

function encode(bytes: Uint8Array, target: Buffer): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let written = 0;
  for (let at = 0; at < view.length; at += GROUP_BYTES) {
    written += target.write(view.toString("base64", at, at + GROUP_BYTES), written, "latin1");
  }
  return target.subarray(0, written);
}
