import { Failure } from "@tollgate/contracts/failures.ts";
import { RerankRequest, rerankParams } from "@tollgate/contracts/rerank/rerank-request.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { OperationKind } from "../../call/operation-kind.ts";
import { mostTokens } from "../../tokens/text-or-tokens.ts";
import { reachesModel } from "../estimate-input.ts";
import { countReranked } from "./count-reranked.ts";
import { countSearches } from "./count-searches.ts";
import { documentTexts } from "./document-texts.ts";

/** Rerank: sorts documents by their relevance to a query. */
export const rerank: OperationKind<RerankRequest> = {
  name: "rerank",
  fields: {
    required: ["query", "documents"],
    params: rerankParams,
    settled: new Set(["model", "query", "documents", "max_chunks_per_doc", "max_tokens_per_doc"]),
  },
  priority: "background",
  schema: RerankRequest,
  schemaForModel: RerankRequest,
  keepsRequest: true,
  check: ({ rank_fields: fields }) => {
    if (fields?.length !== 0) return;
    throw new Failure("invalid_request", "'rank_fields' must contain at least one field.", { param: "rank_fields" });
  },
  formOf: () => "whole",
  wantsUsage: () => false,
  boundUsage: (call, deployment) => {
    const { request } = call.body;
    const texts = documentTexts(request);
    const { maxInputTokens } = deployment.facts;
    return {
      ...NO_USAGE,
      // The model reads the query again with each document.
      inputTokens: mostTokens(texts, maxInputTokens) + texts.length * mostTokens(request.query, maxInputTokens),
      searches: countSearches(
        request,
        (name) => reachesModel(name, call, deployment),
        (text) => mostTokens(text, null),
      ),
      source: "estimated",
    };
  },
  countUsage: (call) => countReranked(call.body),
};
