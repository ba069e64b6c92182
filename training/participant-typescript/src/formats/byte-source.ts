import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Bytes of known length with random access. */
export interface ByteSource {
  readonly byteLength: number;
  /**
   * Returns bytes `from` (inclusive) to `to` (exclusive). If a copy is needed and the bytes fit, copies them to the
   * start of `into`.
   */
  read(from: number, to: number, into?: Uint8Array): Uint8Array;
  close(): void;
}

/** Creates a source whose reads are views of `bytes`, without a copy. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return { byteLength: bytes.byteLength, read: (from, to) => bytes.subarray(from, to), close: () => {} };
}

/** Creates a source that reads from the file by position, so that no bytes stay in memory. */
export function fileSource(path: string): ByteSource {
  const file = openSync(path, "r");
  return {
    byteLength: fstatSync(file).size,
    read: (from, to, into) => readRange(file, from, to - from, into),
    close: () => closeSync(file),
  };
}

function readRange(file: number, position: number, length: number, into?: Uint8Array): Uint8Array {
  const target = into !== undefined && into.byteLength >= length ? into.subarray(0, length) : new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, target, done, length - done, position + done);
    if (count === 0) throw new Error("The parameter file was truncated while it was being read");
    done += count;
  }
  return target;
}
