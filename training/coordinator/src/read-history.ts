import { HistoryFold } from "./history-fold.ts";
import { readJournal } from "./journal/journal.ts";
import type { RunHistory } from "./run-history.ts";

/**
 * Reads the history of the run in a folder; null if no run was started. Safe to call while a coordinator uses the
 * folder.
 */
export async function readHistory(dir: string): Promise<RunHistory | null> {
  const fold = new HistoryFold();
  for (const entry of await readJournal(dir)) fold.apply(entry);
  return fold.history();
}
