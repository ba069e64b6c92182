import type { EmbeddingRequest } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { ReadAnswer, TranslatedCall } from "../../call/provider.ts";
import { countPrompt } from "../../tokens/count-prompt.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { MAX_COUNTED_CHARACTERS } from "../count-unreported-input.ts";
import { fromBase64, toBase64, toJsonNumbers } from "./vector-encoding.ts";

/** A vector from an upstream: numbers, or base64-encoded little-endian 32-bit floats. */
export type GivenVector = readonly number[] | string;

/**
 * Writes a complete response with these vectors in the requested encoding. The response always contains usage, because
 * clients read usage without checking that it is present. If the upstream reports no usage, the response contains the
 * gateway's own count, which is also charged.
 */
export function writeEmbeddings(
  call: TranslatedCall<EmbeddingRequest>,
  vectors: readonly GivenVector[],
  promptTokens: number | null,
): ReadAnswer {
  const write = wantsBase64(call) ? base64Json : numbersJson;
  const data = vectors.map((vector, index) => `{"object":"embedding","index":${index},"embedding":${write(vector)}}`);
  const tokens = promptTokens ?? countPrompt(call.body.bytes.toString("latin1"), MAX_COUNTED_CHARACTERS);
  const usage = `,"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
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
  if (numbers === null || !numbers.every(Number.isFinite)) throw unreadable();
  return toJsonNumbers(numbers);
}
