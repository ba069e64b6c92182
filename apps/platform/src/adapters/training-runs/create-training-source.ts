import type { TrainingRunSummary } from "@tollgate/contracts/management/training.ts";
import { findLockHolder } from "@tollgate/coordinator/journal/run-lock.ts";
import { readHistory } from "@tollgate/coordinator/read-history.ts";
import type { RunHistory } from "@tollgate/coordinator/run-history.ts";
import type { TrainingSource } from "../../training/training-source.ts";
import { describeRun, describeSummary, describeUnreadable } from "./describe-run.ts";
import { findRunFolder, listRunFolders, type RunFolder } from "./run-folders.ts";
import { listFiles, openFile } from "./training-files.ts";

/** Maximum size of a journal. Larger journals can only be read with the CLI, because this process also serves calls. */
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;
/**
 * Maximum cache sizes. Histories can be large, so only a few are cached. Summaries are small, so the cache holds a full
 * list of them.
 */
const MAX_HISTORIES = 8;
const MAX_SUMMARIES = 500;

/** A cached value for one version (size and modification time) of a journal. */
interface Remembered<Value> {
  readonly version: string;
  readonly value: Value;
}

/** Reads the runs in a folder from their journals while coordinators write them. Reads no files outside the folder. */
export function createTrainingSource(runsDir: () => string | null): TrainingSource {
  const histories = new Map<string, Remembered<RunHistory>>();
  const summaries = new Map<string, Remembered<TrainingRunSummary>>();
  /** Returns the history for the journal's current version, or the reason why it can't be read. */
  const read = async (run: RunFolder): Promise<RunHistory | string> => {
    if (run.bytes > MAX_JOURNAL_BYTES) return "The run journal is too large for the console.";
    const known = histories.get(run.dir);
    if (known?.version === versionOf(run)) return known.value;
    try {
      const history = await readHistory(run.dir);
      if (history === null) return "The run has not started.";
      remember(histories, MAX_HISTORIES, run, history);
      return history;
    } catch (error) {
      return (error as Error).name === "DamagedJournal"
        ? "The run journal is damaged."
        : "The run journal cannot be read.";
    }
  };
  const summarize = async (run: RunFolder): Promise<TrainingRunSummary> => {
    const known = summaries.get(run.dir);
    if (known?.version === versionOf(run)) return known.value;
    const history = await read(run);
    const summary = typeof history === "string" ? describeUnreadable(run, history) : describeSummary(run.id, history);
    remember(summaries, MAX_SUMMARIES, run, summary);
    return summary;
  };
  const find = async (id: string): Promise<RunFolder | null> => {
    const folder = runsDir();
    return folder === null ? null : findRunFolder(folder, id);
  };
  return {
    list: async () => {
      const folder = runsDir();
      if (folder === null) return null;
      const listed = [];
      // Read the journals sequentially, because reading hundreds of them concurrently would keep this process busy.
      for (const run of await listRunFolders(folder)) listed.push(await withLock(run, await summarize(run)));
      return listed;
    },
    find: async (id) => {
      const run = await find(id);
      if (run === null) return null;
      const history = await read(run);
      if (typeof history === "string") return { ...describeUnreadable(run, history), ...withoutRounds };
      return withLock(run, describeRun(run.id, history, await listFiles(run.dir)));
    },
    open: async (id, name) => {
      const run = await find(id);
      return run === null ? null : openFile(run.dir, name, () => read(run));
    },
  };
}

const versionOf = ({ bytes, changedAtMs }: RunFolder): string => `${bytes} ${changedAtMs}`;

function remember<Value>(values: Map<string, Remembered<Value>>, most: number, run: RunFolder, value: Value): void {
  values.delete(run.dir);
  // Evict the least recently read entry.
  if (values.size >= most) values.delete(values.keys().next().value as string);
  values.set(run.dir, { version: versionOf(run), value });
}

/** Marks a run as running if its lock is held, because the journal doesn't record whether a run is active. */
async function withLock<Run extends TrainingRunSummary>({ dir }: RunFolder, run: Run): Promise<Run> {
  if (run.status !== "interrupted" || (await findLockHolder(dir)) === null) return run;
  return { ...run, status: "running" };
}

const withoutRounds = {
  metric: "",
  parameterBytes: null,
  best: null,
  final: null,
  members: [],
  rounds: [],
  files: [],
};
