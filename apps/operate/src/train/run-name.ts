import { basename, dirname, relative, resolve } from "node:path";
import { runsFolder } from "@tollgate/coordinator/project/find-run.ts";

/** Returns the shell-quoted argument that identifies a run: its ID in the default runs folder, otherwise its path. */
export function runName(cwd: string, dir: string): string {
  const isUsual = resolve(dirname(dir)) === resolve(runsFolder(cwd));
  return quoteWord(isUsual ? basename(dir) : relative(cwd, dir) || ".");
}

/** Quotes a word for the shell. */
export function quoteWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
