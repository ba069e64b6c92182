import type { EmbeddingRequest } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { scanJson } from "@tollgate/domain/json-text.ts";
import type { CallBody } from "../pipeline/body/call-body.ts";
import { isCount } from "../providers/is-count.ts";
import { type KeyParts, keyOf } from "./cache-key.ts";

/** What is said besides the texts is part of the key of each, so that a long one would be read as often as there are texts. */
const MAX_BESIDES = 4_096;

/** One text, or one list of tokens. */
type Item = string | readonly number[];

/** The parts of an embedding call's key: one text alone is a list of one, however it is written. */
export function withListedInput(parts: KeyParts): KeyParts {
  const { input } = parts.request as { readonly input?: EmbeddingRequest["input"] };
  const isOne = typeof input === "string" || (Array.isArray(input) && typeof input[0] === "number");
  return isOne ? { ...parts, request: { ...parts.request, input: [input] } } : parts;
}

/** The texts of an embedding call that has several; null where it has one, or too much besides to look for each alone. */
export function itemsOf(request: Readonly<Record<string, unknown>>): readonly Item[] | null {
  const { input, ...rest } = request as { readonly input?: EmbeddingRequest["input"] };
  if (!Array.isArray(input) || input.length < 2) return null;
  return JSON.stringify(rest).length > MAX_BESIDES ? null : (input as readonly Item[]);
}

/** The key of one text: that of a call which asks for nothing else. */
export function keysOfItems(parts: KeyParts, items: readonly Item[]): readonly string[] {
  return items.map((item) => keyOf({ ...parts, request: { ...parts.request, input: [item] } }));
}

/** The body with these texts alone. */
export function withItems(body: CallBody, items: readonly Item[]): CallBody {
  const readable = JSON.parse(Buffer.from(body.text, "latin1").toString("utf8")) as object;
  const text = Buffer.from(JSON.stringify({ ...readable, input: items }), "utf8").toString("latin1");
  const scan = scanJson(text);
  if (scan.kind === "refused") throw new Error("could not parse a request that the gateway built");
  return { ...body, text, members: scan.members, request: JSON.parse(text) as CallBody["request"] };
}

/** The vectors of an answer as JSON, in order of the texts; null when it is not an answer to so many. */
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

/** An answer of these vectors. Its usage is what was used for it now. */
export function writeVectors(vectors: readonly string[], shownJson: string, promptTokens: number): string {
  const data = vectors.map((vector, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`);
  const usage = `{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens}}`;
  return `{"object":"list","data":[${data.join(",")}],"model":${shownJson},"usage":${usage}}`;
}
