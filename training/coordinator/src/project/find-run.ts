import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { findPlan } from "./find-plan.ts";
import { NotFound } from "./not-found.ts";

const JOURNAL = "journal.jsonl";
export const RUNS_FOLDER = "runs";

/** Finds the folder of a run by path, ID, or ID prefix. By default, finds the latest run. */
export function findRun(cwd: string, asked: string | undefined): string {
  const runs = listRuns(runsFolder(cwd));
  if (asked === undefined) {
    const latest = runs.at(-1);
    if (latest === undefined) throw new NotFound("No runs yet. To start one: tollgate train run");
    return latest;
  }
  const path = resolve(cwd, asked);
  if (existsSync(join(path, JOURNAL))) return path;
  const matching = runs.filter((dir) => basename(dir).startsWith(asked));
  const exact = matching.find((dir) => basename(dir) === asked);
  if (exact !== undefined) return exact;
  const [only] = matching;
  if (only === undefined) throw new NotFound(`Unknown run '${asked}'.`);
  if (matching.length > 1) {
    throw new NotFound(`Several runs start with '${asked}': ${matching.map((dir) => basename(dir)).join(", ")}.`);
  }
  return only;
}

/** Lists folders with a journal, most recently changed last. */
export function listRuns(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((dir) => existsSync(join(dir, JOURNAL)))
    .map((dir) => ({ dir, atMs: statSync(join(dir, JOURNAL)).mtimeMs }))
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ dir }) => dir);
}

/** Returns the runs folder of the project in `cwd` or in its only subfolder with a plan. */
export function runsFolder(cwd: string): string {
  if (existsSync(join(cwd, RUNS_FOLDER))) return join(cwd, RUNS_FOLDER);
  // The current folder may itself be the runs folder.
  if (basename(realpathSync(cwd)) === RUNS_FOLDER) return cwd;
  try {
    return join(dirname(findPlan(cwd, undefined).file), RUNS_FOLDER);
  } catch (error) {
    if (error instanceof NotFound) return join(cwd, RUNS_FOLDER);
    throw error;
  }
}
