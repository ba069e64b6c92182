import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Bytes of known length that can be read in any order. */
export interface ByteSource {
  readonly byteLength: number;
  /** Bytes `from` (inclusive) to `to` (exclusive); copied to the start of `into`, if it has to copy and they fit. */
  read(from: number, to: number, into?: Uint8Array): Uint8Array;
  close(): void;
}

/** Reads are views of `bytes`, without a copy. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return { byteLength: bytes.byteLength, read: (from, to) => bytes.subarray(from, to), close: () => {} };
}

/** Reads from the file at its position, so that nothing of it stays in memory. */
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
