import type { CommandContext } from "../../../context.ts";

/**
 * Prints a secret once: alone on standard output, so that `KEY=$(tollgate keys create ci -q)` works, with a note on
 * standard error.
 */
export function printSecret({ output, io }: CommandContext, secret: string, kind: string): void {
  const hint = `${secret.slice(0, HINT_CHARACTERS)}…`.padEnd(HINT_COLUMN);
  output.note(`\n  ${hint}the full ${kind} is printed once below and cannot be shown again`);
  // If both streams go to a terminal, indent the secret like the note. A program gets only the secret.
  if (output.isTerminal && io.stderr.isTTY === true && !output.isQuiet) io.stderr.write("  ");
  output.text(`${secret}\n`);
}

const HINT_CHARACTERS = 10;
const HINT_COLUMN = 25;
