import type { TrainingRun, TrainingRunSummary } from "@tollgate/contracts/management/training.ts";

/** Training runs in a folder that coordinators write to. */
export interface TrainingSource {
  /** Most recently changed first. Null if no folder is configured. */
  list(): Promise<readonly TrainingRunSummary[] | null>;
  /** Null if the run doesn't exist. */
  find(id: string): Promise<TrainingRun | null>;
  /** Null if the run or file doesn't exist. */
  open(id: string, name: string): Promise<TrainingFile | null>;
}

export interface TrainingFile {
  readonly contentType: string;
  readonly content: string | AsyncIterable<Buffer>;
}
