import type { TrainingRun, TrainingRunSummary } from "@tollgate/contracts/management/training.ts";

/** Training runs in a folder that coordinators write to. */
export interface TrainingSource {
  /** Lists the runs, most recently changed first. Returns null if no folder is configured. */
  list(): Promise<readonly TrainingRunSummary[] | null>;
  /** Returns the run, or null if it doesn't exist. */
  find(id: string): Promise<TrainingRun | null>;
  /** Opens a file of a run. Returns null if the run or file doesn't exist. */
  open(id: string, name: string): Promise<TrainingFile | null>;
}

export interface TrainingFile {
  readonly contentType: string;
  readonly content: string | AsyncIterable<Buffer>;
}
