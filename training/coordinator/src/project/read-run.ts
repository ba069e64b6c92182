import { readHistory } from "../read-history.ts";
import type { RunHistory } from "../run-history.ts";
import { NotFound } from "./not-found.ts";

/** Returns the history of the run in a folder. Throws NotFound if the run has not started. */
export async function readRun(dir: string): Promise<RunHistory> {
  const history = await readHistory(dir);
  if (history === null) throw new NotFound(`The run in ${dir} has not started.`);
  return history;
}
