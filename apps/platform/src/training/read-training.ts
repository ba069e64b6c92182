import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { TrainingRun, TrainingRunList } from "@tollgate/contracts/management/training.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";

export const listTrainingRuns = operation({
  ...read,
  id: "listTrainingRuns",
  summary: "List training runs",
  tag: "training",
  path: "/api/training/runs",
  auth: "administrator",
  scope: "own",
  answers: { 200: { description: "The runs in the configured folder", schema: TrainingRunList } },
  handle: async (_input, { training }) => {
    const runs = await training.list();
    return { status: 200, body: { enabled: runs !== null, runs: runs ?? [] } };
  },
});

export const getTrainingRun = operation({
  ...read,
  id: "getTrainingRun",
  summary: "Get a training run, including one in progress",
  tag: "training",
  path: "/api/training/runs/{id}",
  auth: "administrator",
  scope: "own",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The run, round by round", schema: Type.Object({ run: TrainingRun }) } },
  handle: async ({ params }, { training }) => {
    const run = await training.find(params.id);
    if (run === null) throw unknownObject("training run");
    return { status: 200, body: { run } };
  },
});
