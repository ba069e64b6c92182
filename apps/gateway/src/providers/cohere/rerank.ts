import { type RerankRequest, rerankParams } from "@tollgate/contracts/rerank/rerank-request.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { Translation } from "../../call/provider.ts";
import { documentTexts } from "../../operations/rerank/document-texts.ts";
import { operationPath, requestHeaders } from "../build-request.ts";
import { readReranked } from "../openai/rerank.ts";

/** Tokens per document chunk. Used to convert the API v1 chunk limit to the v2 token limit. */
const TOKENS_PER_CHUNK = 500;

/**
 * Cohere rerank. The API accepts only text and never returns documents, so the gateway converts documents to text and
 * adds the documents to the response.
 */
export const rerankTranslation: Translation<RerankRequest> = {
  supportedParams: () => [...rerankParams],
  buildRequest: (call, target, dropped) => {
    const request = readableRequest(call.body);
    const taken = (name: "top_n" | "max_tokens_per_doc" | "max_chunks_per_doc") =>
      dropped.has(name) ? null : (request[name] ?? null);
    const chunks = taken("max_chunks_per_doc");
    const most = taken("max_tokens_per_doc") ?? (chunks === null ? null : chunks * TOKENS_PER_CHUNK);
    const topN = taken("top_n");
    const body = {
      ...extrasOf(request, dropped),
      model: target.upstreamModel,
      query: request.query,
      documents: documentTexts(request),
      ...(topN !== null && { top_n: topN }),
      ...(most !== null && { max_tokens_per_doc: most }),
    };
    return {
      path: operationPath(target, "/rerank"),
      headers: requestHeaders(call, target),
      body: Buffer.from(JSON.stringify(body), "utf8"),
    };
  },
  readAnswer: readReranked,
  readStream: () => {
    throw new Error("reranked documents are not streamed");
  },
};

/** Returns Cohere-specific fields. */
function extrasOf(request: RerankRequest, dropped: ReadonlySet<string>): object {
  const unknown = Object.entries(request).filter(([name]) => !rerankParams.has(name) && !dropped.has(name));
  return { ...Object.fromEntries(unknown), ...request.extra_body };
}
