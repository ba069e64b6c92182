import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";

/** Parameter files can be several gigabytes in size and may be downloaded over a slow connection. */
const TIMEOUT_MS = 600_000;

export const getTrainingFile = operation({
  ...read,
  id: "getTrainingFile",
  summary: "Download a training run file: history, chart, or final parameters",
  tag: "training",
  path: "/api/training/runs/{id}/files/{name}",
  auth: "administrator",
  scope: "own",
  timeoutMs: TIMEOUT_MS,
  params: Type.Object({ id: PathId, name: PathId }),
  answers: { 200: { description: "The file", contentType: "application/octet-stream" } },
  handle: async ({ params }, { training }) => {
    const file = await training.open(params.id, params.name);
    if (file === null) throw unknownObject("training run file");
    return {
      status: 200,
      headers: {
        "content-disposition": `attachment; filename="${params.name}"`,
        "cache-control": "no-store",
        // Prevents scripts in a chart file from running with this origin's permissions.
        "content-security-policy": "sandbox",
        "x-content-type-options": "nosniff",
      },
      raw: file,
    };
  },
});
