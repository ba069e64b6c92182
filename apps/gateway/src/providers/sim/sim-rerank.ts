import type { RerankRequest } from "@tollgate/contracts/rerank/rerank-request.ts";
import { documentTexts } from "../../operations/rerank/document-texts.ts";
import { jsonReply, readJson, type SimOperation } from "./sim-operation.ts";
import { createRandom, seedOf, splitTokens } from "./sim-text.ts";

/** Scores documents by the words they share with the query. The same query and document always get the same score. */
export const reranking: SimOperation<RerankRequest> = {
  models: new Set(["rerank"]),
  read: (request) => readJson(request, "query"),
  reply: (model, { query, top_n: most, ...asked }) => {
    const texts = documentTexts(asked);
    // The query is split only once, because splitting a long query for every document would block the process.
    const words = wordsOf(query);
    const seed = seedOf(query);
    const queryTokens = splitTokens(query).length;
    const results = texts
      .map((text, index) => ({ index, relevance_score: scoreOf(words, seed, text) }))
      .toSorted((one, other) => other.relevance_score - one.relevance_score)
      .slice(0, most ?? undefined);
    const tokens = texts.reduce((sum, text) => sum + splitTokens(text).length + queryTokens, 0);
    return jsonReply(
      JSON.stringify({
        id: `rerank-sim${seedOf(`${query}\n${texts.join("\n")}`)
          .toString(36)
          .padStart(8, "0")}`,
        model: `sim-${model.name}`,
        results,
        meta: {
          billed_units: { search_units: Math.ceil(texts.length / 100) },
          tokens: { input_tokens: tokens, output_tokens: 0 },
        },
      }),
    );
  },
};

/** Returns a score between 0 and 1: the share of the query's words that the text contains, plus a small tie-breaker. */
function scoreOf(words: ReadonlySet<string>, seed: number, text: string): number {
  const found = wordsOf(text);
  let shared = 0;
  for (const word of found) if (words.has(word)) shared += 1;
  const apart = createRandom(seedOf(`${seed}\n${text}`))() / 100;
  return Math.round((0.99 * (words.size === 0 ? 0 : shared / words.size) + apart) * 1e6) / 1e6;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
