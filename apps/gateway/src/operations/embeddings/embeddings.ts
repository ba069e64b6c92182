import {
  EmbeddingRequest,
  EmbeddingRequestForModel,
  embeddingParams,
} from "@tollgate/contracts/embeddings/embedding-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationKind } from "../../call/operation-kind.ts";
import { mostTokens } from "../../tokens/text-or-tokens.ts";
import { countUnreportedInput } from "../count-unreported-input.ts";
import { estimatedUsage } from "../estimated-usage.ts";

/** Embeddings: one vector for each input. */
export const embeddings: OperationKind<EmbeddingRequest> = {
  name: "embeddings",
  fields: {
    required: ["input"],
    params: embeddingParams,
    settled: new Set(["model", "input", "encoding_format"]),
    own: ["gw_call_id"],
  },
  priority: "background",
  schema: EmbeddingRequest,
  schemaForModel: EmbeddingRequestForModel,
  check: (request) => {
    if (request.input != null && request.input.length > 0) return;
    throw new Failure("invalid_request", "'input' must contain at least one string or list of tokens.", {
      param: "input",
    });
  },
  formOf: () => "whole",
  wantsUsage: () => false,
  callIdOf: (request) => request.gw_call_id ?? null,
  boundUsage: (call, deployment) =>
    estimatedUsage(mostTokens(call.body.request.input ?? "", deployment.facts.maxInputTokens), 0),
  countUsage: (call, deployment) => estimatedUsage(countUnreportedInput(call, deployment), 0),
};
