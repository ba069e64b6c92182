import type { RerankRequest } from "@tollgate/contracts/rerank/rerank-request.ts";
import { documentTexts } from "./document-texts.ts";

/** Documents that one search may be about, and tokens of a document and its query from which on it counts twice. */
const DOCUMENTS_PER_SEARCH = 100;
const TOKENS_PER_DOCUMENT = 500;
/** How much of a document is read where the request does not say. */
const DEFAULT_TOKENS_PER_DOCUMENT = 4_096;

/**
 * How many searches providers count for a request: one for each hundred documents, where a long one counts as the pieces
 * it is cut into. `isSent` says whether a parameter reaches the provider, and `tokensOf` how many tokens a text has, or
 * may have at most.
 */
export function countSearches(
  request: RerankRequest,
  isSent: (name: string) => boolean,
  tokensOf: (text: string) => number,
): number {
  const query = tokensOf(request.query);
  const askedTokens = isSent("max_tokens_per_doc") ? (request.max_tokens_per_doc ?? null) : null;
  const askedPieces = isSent("max_chunks_per_doc") ? (request.max_chunks_per_doc ?? null) : null;
  const mostTokens = askedTokens ?? DEFAULT_TOKENS_PER_DOCUMENT;
  // Where both are said, providers go by the tokens.
  const mostPieces = askedTokens === null && askedPieces !== null ? askedPieces : Number.POSITIVE_INFINITY;
  let documents = 0;
  for (const text of documentTexts(request)) {
    const pieces = Math.ceil((Math.min(tokensOf(text), mostTokens) + query) / TOKENS_PER_DOCUMENT);
    documents += Math.max(1, Math.min(pieces, mostPieces));
  }
  return Math.ceil(documents / DOCUMENTS_PER_SEARCH);
}
