import { CompletionQuery } from "@tollgate/contracts/completions/completion-query.ts";
import { CompletionRequest, CompletionRequestForModel } from "@tollgate/contracts/completions/completion-request.ts";
import { CompletionResponse } from "@tollgate/contracts/completions/completion-response.ts";
import { modelPaths } from "@tollgate/contracts/operations.ts";
import { completions } from "../../operations/completions/completions.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Creates text completions. */
export const textCompletions = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, completions, {
    ...inferenceRules,
    id: "createCompletion",
    summary: "Create a text completion",
    tag: "completions",
    paths: modelPaths("/completions"),
    bodyLimitBytes: 50 * 1024 * 1024,
    query: CompletionQuery,
    body: CompletionRequest,
    bodyUnderModelPath: CompletionRequestForModel,
    answers: {
      200: {
        description: "The completion. Streamed if `stream` is true.",
        schema: CompletionResponse,
        streamed: CompletionResponse,
      },
      ...inferenceFailures,
    },
  });
