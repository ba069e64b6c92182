import type { EmbeddingRequest } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { ReadAnswer, TranslatedCall } from "../../providers/provider.ts";
import { fromBase64, toBase64, toJsonNumbers } from "./vector-encoding.ts";

/** A vector as an upstream gave it: numbers, or base64 of little-endian 32-bit floats. */
export type GivenVector = readonly number[] | string;

/**
 * A whole answer with these vectors, in the encoding the caller wants. Without a count of the upstream's there is no
 * usage in it, and the call is counted here.
 */
export function writeEmbeddings(
  call: TranslatedCall<EmbeddingRequest>,
  vectors: readonly GivenVector[],
  promptTokens: number | null,
): ReadAnswer {
  const write = wantsBase64(call) ? base64Json : numbersJson;
  const data = vectors.map((vector, index) => `{"object":"embedding","index":${index},"embedding":${write(vector)}}`);
  const usage =
    promptTokens === null ? "" : `,"usage":{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens}}`;
  return {
    text: `{"object":"list","data":[${data.join(",")}],"model":${call.model.shownJson}${usage}}`,
    usage: promptTokens === null ? null : { ...NO_USAGE, inputTokens: promptTokens, source: "reported" },
  };
}

export function wantsBase64(call: TranslatedCall<EmbeddingRequest>): boolean {
  return call.body.request.encoding_format === "base64";
}

function base64Json(vector: GivenVector): string {
  return `"${typeof vector === "string" ? vector : toBase64(vector)}"`;
}

function numbersJson(vector: GivenVector): string {
  const numbers = typeof vector === "string" ? fromBase64(vector) : vector;
  if (numbers === null || !numbers.every(Number.isFinite)) {
    throw new Failure("bad_gateway", "The model answered something that cannot be read.");
  }
  return toJsonNumbers(numbers);
}
