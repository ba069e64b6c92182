import type { PageOperation } from "../api-operation.ts";
import { cancelRun } from "./cancel-run.ts";
import { createRun } from "./create-run.ts";
import { createThreadAndRun } from "./create-thread-and-run.ts";
import { listRunSteps } from "./list-run-steps.ts";
import { listRuns } from "./list-runs.ts";
import { modifyRun } from "./modify-run.ts";
import { retrieveRun } from "./retrieve-run.ts";
import { retrieveRunStep } from "./retrieve-run-step.ts";
import { submitToolOutputs } from "./submit-tool-outputs.ts";

/** All run operations. */
export const runOperations: readonly PageOperation[] = [
  createRun,
  createThreadAndRun,
  listRuns,
  retrieveRun,
  modifyRun,
  cancelRun,
  submitToolOutputs,
  listRunSteps,
  retrieveRunStep,
];
