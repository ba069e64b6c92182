import { EmbeddingRequest, EmbeddingRequestForModel } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { EmbeddingResponse } from "@tollgate/contracts/embeddings/embedding-response.ts";
import { modelPaths } from "@tollgate/contracts/operations.ts";
import { embeddings } from "../../operations/embeddings/embeddings.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Creates embeddings, with one vector per input. */
export const createEmbeddings = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, embeddings, {
    ...inferenceRules,
    id: "createEmbedding",
    summary: "Create embeddings",
    tag: "embeddings",
    paths: modelPaths("/embeddings"),
    bodyLimitBytes: 50 * 1024 * 1024,
    body: EmbeddingRequest,
    bodyUnderModelPath: EmbeddingRequestForModel,
    answers: {
      200: { description: "One embedding per input, in order.", schema: EmbeddingResponse },
      ...inferenceFailures,
    },
  });
