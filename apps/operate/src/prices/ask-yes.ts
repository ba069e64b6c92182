import { createInterface } from "node:readline/promises";
import type { Io } from "@tollgate/runtime/exit.ts";

/** Asks a question on standard error and returns true for "y" or "yes". The end of the input means no. */
export async function askYes({ stdin, stderr }: Io, question: string): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  if (stdin === undefined) return false;
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}
