import type { TrainingRun, TrainingRunSummary } from "@tollgate/contracts/management/training.ts";

/** The training runs of a folder that coordinators write into. */
export interface TrainingSource {
  /** The one that was worked on last comes first. Null when no folder is configured. */
  list(): Promise<readonly TrainingRunSummary[] | null>;
  /** Null when there is no such run. */
  find(id: string): Promise<TrainingRun | null>;
  /** Null when there is no such run or file. */
  open(id: string, name: string): Promise<TrainingFile | null>;
}

export interface TrainingFile {
  readonly contentType: string;
  readonly content: string | AsyncIterable<Buffer>;
}
