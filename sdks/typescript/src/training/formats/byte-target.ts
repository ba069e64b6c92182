import { closeSync, openSync, rmSync, writeSync } from "node:fs";

/** Bytes that can be written in any order. */
export interface ByteTarget {
  write(position: number, bytes: Uint8Array): void;
  /** Everything is written. A file is durable only once it was moved to its place by `moveDurably`. */
  finish(): void;
  /** Leaves nothing behind. */
  abort(): void;
}

/** Writes into `bytes`, which has to be as long as what will be written. */
export function memoryTarget(bytes: Uint8Array): ByteTarget {
  return { write: (position, piece) => bytes.set(piece, position), finish: () => {}, abort: () => {} };
}

/** Writes a new file at `path`; an existing one is refused, so that no finished file is ever half overwritten. */
export function fileTarget(path: string): ByteTarget {
  const file = openSync(path, "wx", 0o600);
  return {
    write(position, bytes) {
      let done = 0;
      while (done < bytes.byteLength) done += writeSync(file, bytes, done, bytes.byteLength - done, position + done);
    },
    finish: () => closeSync(file),
    abort() {
      closeSync(file);
      rmSync(path, { force: true });
    },
  };
}
