import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { usageError } from "../../cli-error.ts";
import type { CommandContext } from "../../context.ts";

/**
 * Throws if binary output would go to a terminal or into JSON. Runs before any request is sent, so that nothing is
 * charged.
 */
export function checkDestination({ output }: CommandContext, path: string | undefined): void {
  if (path !== undefined) return;
  if (output.isJson) throw usageError("--json requires an output file.", "Add --out FILE.");
  if (output.isTerminal)
    throw usageError("Binary output cannot be printed to the terminal.", "Add --out FILE, or redirect the output.");
}

/** Writes bytes to the given file or to standard output. */
export function writeBytes({ io, output }: CommandContext, path: string | undefined, bytes: Uint8Array): void {
  if (path === undefined) return output.text(bytes);
  try {
    writeFileSync(resolve(io.cwd, path), bytes);
  } catch (error) {
    throw usageError(`Could not write ${path}: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}.`);
  }
  output.done(`Wrote ${path} (${bytes.length} bytes)`);
}
