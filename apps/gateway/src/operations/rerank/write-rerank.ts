import { randomUUID } from "node:crypto";
import type { RerankRequest } from "@tollgate/contracts/rerank/rerank-request.ts";
import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { type CallBody, readableRequest } from "../../call/call-body.ts";
import type { ReadAnswer, TranslatedCall } from "../../call/provider.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { countReranked } from "./count-reranked.ts";

/** Rerank results, independent of the upstream's format. */
interface Reranked {
  readonly id: unknown;
  /** Results, each with a document's index and score. */
  readonly results: unknown;
  /** Tokens and searches are null if the upstream didn't report them. */
  readonly inputTokens: unknown;
  readonly searches: unknown;
}

/** Writes a complete response with these results, and with the caller's own documents if requested. */
export function writeRerank(call: TranslatedCall<RerankRequest>, answer: Reranked): ReadAnswer {
  const request = readableRequest(call.body);
  const usage = usageOf(call.body, answer);
  const results = readResults(answer.results, request.documents.length).slice(0, request.top_n ?? undefined);
  return {
    text: toJsonBytes({
      id: typeof answer.id === "string" && answer.id !== "" ? answer.id : randomUUID(),
      results: results.map(({ index, score }) => ({
        index,
        relevance_score: score,
        ...(request.return_documents === true && { document: shownDocument(request.documents[index]) }),
      })),
      meta: {
        // The API version of this response format.
        api_version: { version: "2" },
        billed_units: { search_units: usage.searches },
        tokens: { input_tokens: usage.inputTokens, output_tokens: 0 },
      },
    }),
    usage,
  };
}

/**
 * Returns the usage. Providers report either tokens or searches. The gateway computes the missing value, because the
 * deployment's price may be based on it.
 */
function usageOf(body: CallBody<RerankRequest>, { inputTokens, searches }: Reranked): Usage {
  const counted = countReranked(body);
  const isReported = isCount(inputTokens) || isCount(searches);
  return {
    ...counted,
    ...(isCount(inputTokens) && { inputTokens }),
    ...(isCount(searches) && { searches }),
    source: isReported ? "reported" : "estimated",
  };
}

interface Result {
  readonly index: number;
  readonly score: number;
}

/** Sorts the results by score, regardless of the upstream's order. Rejects duplicate documents. */
function readResults(results: unknown, documents: number): readonly Result[] {
  if (!Array.isArray(results)) throw unreadable();
  const seen = new Set<number>();
  const read = (results as readonly (Readonly<Record<string, unknown>> | null)[]).map((result): Result => {
    const { index, relevance_score: score } = result ?? {};
    if (!isCount(index) || index >= documents || seen.has(index)) throw unreadable();
    if (typeof score !== "number" || !Number.isFinite(score)) throw unreadable();
    seen.add(index);
    return { index, score };
  });
  return read.toSorted((one, other) => other.score - one.score);
}

function shownDocument(document: RerankRequest["documents"][number] | undefined): object {
  return typeof document === "string" ? { text: document } : (document ?? {});
}
