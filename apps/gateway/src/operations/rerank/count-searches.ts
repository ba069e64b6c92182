import type { RerankRequest } from "@tollgate/contracts/rerank/rerank-request.ts";
import { documentTexts } from "./document-texts.ts";

/**
 * Number of documents that count as one search, and the number of tokens, including the query, that count as one
 * document.
 */
const DOCUMENTS_PER_SEARCH = 100;
const TOKENS_PER_DOCUMENT = 500;
/** Maximum tokens read per document if the request sets no limit. */
const DEFAULT_TOKENS_PER_DOCUMENT = 4_096;

/**
 * Returns the number of searches that providers count for a request: one per hundred documents, where each chunk of a
 * long document counts as a document. `isSent` reports whether a parameter reaches the provider. `tokensOf` returns the
 * exact or maximum number of tokens in a text.
 */
export function countSearches(
  request: RerankRequest,
  isSent: (name: string) => boolean,
  tokensOf: (text: string) => number,
): number {
  const query = tokensOf(request.query);
  const askedTokens = isSent("max_tokens_per_doc") ? (request.max_tokens_per_doc ?? null) : null;
  const askedPieces = isSent("max_chunks_per_doc") ? (request.max_chunks_per_doc ?? null) : null;
  // If the request limits both tokens and chunks, providers use the token limit. Neither limits the query, which
  // providers count with each document.
  const mostOfPieces = askedPieces === null ? DEFAULT_TOKENS_PER_DOCUMENT : askedPieces * TOKENS_PER_DOCUMENT;
  const mostTokens = askedTokens ?? mostOfPieces;
  let documents = 0;
  for (const text of documentTexts(request)) {
    documents += Math.max(1, Math.ceil((Math.min(tokensOf(text), mostTokens) + query) / TOKENS_PER_DOCUMENT));
  }
  return Math.ceil(documents / DOCUMENTS_PER_SEARCH);
}
