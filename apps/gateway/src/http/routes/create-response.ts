import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { ResponseEvent, ResponseObject } from "@tollgate/contracts/responses/response-object.ts";
import { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import { responses } from "../../operations/responses/responses.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Creates responses. */
export const createResponse = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, responses, {
    ...inferenceRules,
    id: "createResponse",
    summary: "Create a response",
    tag: "responses",
    paths: versionedPaths("/responses"),
    bodyLimitBytes: 50 * 1024 * 1024,
    body: ResponseRequest,
    answers: {
      200: {
        description: "The model's output, reasoning, and tool calls. Streamed as typed events if `stream` is true.",
        schema: ResponseObject,
        streamed: ResponseEvent,
      },
      ...inferenceFailures,
    },
  });
