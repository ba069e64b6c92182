import { basename, dirname, relative, resolve } from "node:path";
import { runsFolder } from "@tollgate/coordinator/project/find-run.ts";

/** What the other commands find a run by from here, as a shell takes it: its id where they look for runs, else its path. */
export function runName(cwd: string, dir: string): string {
  const isUsual = resolve(dirname(dir)) === resolve(runsFolder(cwd));
  return quoteWord(isUsual ? basename(dir) : relative(cwd, dir) || ".");
}

/** A word as it has to be typed. */
export function quoteWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
