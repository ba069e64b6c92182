import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { usageError } from "../../cli-error.ts";
import type { CommandContext } from "../../context.ts";

/** Refuses before anything is paid for when bytes would end up on a terminal, or among JSON. */
export function checkDestination({ output }: CommandContext, path: string | undefined): void {
  if (path !== undefined) return;
  if (output.isJson) throw usageError("With --json the bytes need a file.", "--out FILE");
  if (output.isTerminal) throw usageError("This would fill the terminal with bytes.", "--out FILE, or a pipe");
}

/** Bytes to the file that was named, or to standard output. */
export function writeBytes({ io, output }: CommandContext, path: string | undefined, bytes: Uint8Array): void {
  if (path === undefined) return output.text(bytes);
  try {
    writeFileSync(resolve(io.cwd, path), bytes);
  } catch (error) {
    throw usageError(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.`);
  }
  output.done(`Wrote ${path} (${bytes.length} bytes)`);
}
