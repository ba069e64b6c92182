import type { RerankRequest } from "@tollgate/contracts/rerank/rerank-request.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { type CallBody, readableRequest } from "../../call/call-body.ts";
import { countTexts } from "../../tokens/count-prompt.ts";
import { countText } from "../../tokens/count-text.ts";
import { MAX_COUNTED_CHARACTERS } from "../count-unreported-input.ts";
import { countSearches } from "./count-searches.ts";
import { documentTexts } from "./document-texts.ts";

/**
 * Typical number of characters per token. An approximation is enough, because only documents with hundreds of tokens
 * count more than once.
 */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Computes a call's usage if the provider didn't report it: the tokens of each document with the query, and the number
 * of searches.
 */
export function countReranked(body: CallBody<RerankRequest>): Usage {
  const request = readableRequest(body);
  const texts = documentTexts(request);
  const isSent = (name: string) => !body.dropped.has(name);
  return {
    ...NO_USAGE,
    inputTokens: countTexts(texts, MAX_COUNTED_CHARACTERS) + texts.length * countText(request.query),
    searches: countSearches(request, isSent, (text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN)),
    source: "estimated",
  };
}
