import { closeSync, openSync, rmSync, writeSync } from "node:fs";

/** Destination for bytes written in any order. */
export interface ByteTarget {
  write(position: number, bytes: Uint8Array): void;
  /** Completes the write. A file is durable only after `moveDurably`. */
  finish(): void;
  /** Discards everything written. */
  abort(): void;
}

/** Creates a target that writes into `bytes`, which must have the final length. */
export function memoryTarget(bytes: Uint8Array): ByteTarget {
  return { write: (position, piece) => bytes.set(piece, position), finish: () => {}, abort: () => {} };
}

/**
 * Creates a target that writes a new file at `path`. Fails if the file exists, so that a finished file is never
 * overwritten.
 */
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
