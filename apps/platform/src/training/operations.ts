import type { ManagementOperation } from "../operation.ts";
import { getTrainingFile } from "./get-training-file.ts";
import { getTrainingRun, listTrainingRuns } from "./read-training.ts";

export const trainingOperations: readonly ManagementOperation[] = [listTrainingRuns, getTrainingRun, getTrainingFile];
