import type { EmbeddingRequest } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { type CallBody, readableRequest } from "../call/call-body.ts";
import { type KeyParts, keyOf } from "./cache-key.ts";

/**
 * Maximum size of the request fields other than the inputs. These fields are part of every input's cache key, so long
 * values would be hashed once per input.
 */
const MAX_OTHER_FIELDS = 4_096;

/** One input: a string or a list of tokens. */
type Item = string | readonly number[];

/** Normalizes the key parts of an embedding call, so that a single input becomes a list with one item. */
export function withListedInput(parts: KeyParts): KeyParts {
  const { input } = parts.request as { readonly input?: EmbeddingRequest["input"] };
  const isOne = typeof input === "string" || (Array.isArray(input) && typeof input[0] === "number");
  return isOne ? { ...parts, request: { ...parts.request, input: [input] } } : parts;
}

/**
 * Returns the inputs of an embedding call. Returns null if the call has only one input, or if its other fields are too
 * long to hash for each input.
 */
export function itemsOf(request: Readonly<Record<string, unknown>>): readonly Item[] | null {
  const { input, ...rest } = request as { readonly input?: EmbeddingRequest["input"] };
  if (!Array.isArray(input) || input.length < 2) return null;
  return JSON.stringify(rest).length > MAX_OTHER_FIELDS ? null : (input as readonly Item[]);
}

/** Returns the cache key of each input, which is the same as the cache key of a call with only that input. */
export function keysOfItems(parts: KeyParts, items: readonly Item[]): readonly string[] {
  return items.map((item) => keyOf({ ...parts, request: { ...parts.request, input: [item] } }));
}

/** Returns the request body with only these inputs. */
export function withItems(body: CallBody, items: readonly Item[]): CallBody {
  const bytes = Buffer.from(JSON.stringify({ ...readableRequest(body), input: items }), "utf8");
  const scan = scanJsonBytes(bytes, null);
  if (scan.kind === "refused") throw new Error("could not parse a request that the gateway built");
  return { ...body, bytes, members: scan.members, request: JSON.parse(scan.text) as CallBody["request"] };
}

/** Returns the vectors of a response as JSON, in input order; null if there isn't exactly one vector per input. */
export function vectorsOf(text: string, count: number): readonly string[] | null {
  const { data } = JSON.parse(text) as { readonly data?: unknown };
  if (!Array.isArray(data) || data.length !== count) return null;
  const vectors = new Array<string | null>(count).fill(null);
  for (const item of data as readonly { readonly index?: unknown; readonly embedding?: unknown }[]) {
    const { index, embedding } = item ?? {};
    if (!isCount(index) || index >= count || embedding == null) return null;
    vectors[index] = JSON.stringify(embedding);
  }
  return vectors.includes(null) ? null : (vectors as string[]);
}

/** Returns a response with these vectors. Its usage counts only the tokens of this call. */
export function writeVectors(vectors: readonly string[], shownJson: string, promptTokens: number): string {
  const data = vectors.map((vector, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`);
  const usage = `{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens}}`;
  return `{"object":"list","data":[${data.join(",")}],"model":${shownJson},"usage":${usage}}`;
}
