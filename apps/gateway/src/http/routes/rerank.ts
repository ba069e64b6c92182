import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { RerankRequest } from "@tollgate/contracts/rerank/rerank-request.ts";
import { RerankResponse } from "@tollgate/contracts/rerank/rerank-response.ts";
import { rerank } from "../../operations/rerank/rerank.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Sorts documents by relevance to a query. */
export const createRerank = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, rerank, {
    ...inferenceRules,
    id: "createRerank",
    summary: "Rerank documents by relevance",
    tag: "rerank",
    paths: [...versionedPaths("/rerank"), "/v2/rerank"],
    bodyLimitBytes: 50 * 1024 * 1024,
    body: RerankRequest,
    answers: {
      200: { description: "The most relevant documents, best first.", schema: RerankResponse },
      ...inferenceFailures,
    },
  });
