import { Failure } from "@tollgate/contracts/failures.ts";
import { toBase64 } from "../../operations/embeddings/vector-encoding.ts";
import { decodeTokens } from "../../tokens/decode-tokens.ts";
import { type Item, itemsOf, type TextOrTokens } from "../../tokens/text-or-tokens.ts";
import { jsonReply, readJson, type SimOperation } from "./sim-operation.ts";
import { createRandom, seedOf, splitTokens } from "./sim-text.ts";

interface EmbeddingAsked {
  readonly input: TextOrTokens;
  readonly dimensions?: number | null;
  readonly encoding_format?: "float" | "base64" | null;
}

const DEFAULT_DIMENSIONS = 1536;
const MAX_DIMENSIONS = 4096;

/** Simulated embeddings: unit vectors derived from the text. The same text has the same vector in both encodings. */
export const embedding: SimOperation<EmbeddingAsked> = {
  models: new Set(["embed"]),
  read: (request) => readJson(request, "input"),
  reply: (model, { input, dimensions, encoding_format: format }) => {
    const length = dimensions ?? DEFAULT_DIMENSIONS;
    if (length > MAX_DIMENSIONS) {
      throw new Failure("invalid_request", `'dimensions' must be at most ${MAX_DIMENSIONS}.`, { param: "dimensions" });
    }
    const items = itemsOf(input);
    const vectors = items.map((item) => makeVector(textOf(item), length));
    const tokens = items.reduce((sum, item) => sum + countTokens(item), 0);
    return jsonReply(
      JSON.stringify({
        object: "list",
        data: vectors.map((vector, index) => ({
          object: "embedding",
          index,
          embedding: format === "base64" ? toBase64(vector) : vector,
        })),
        model: `sim-${model.name}`,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      }),
    );
  },
};

function makeVector(text: string, length: number): number[] {
  const random = createRandom(seedOf(text));
  const raw = Array.from({ length }, () => random() * 2 - 1);
  const norm = Math.hypot(...raw);
  // The numbers are rounded to 32-bit floats, so that both encodings contain the same numbers.
  return raw.map((value) => Math.fround(value / norm));
}

function textOf(item: Item): string {
  return typeof item === "string" ? item : decodeTokens(item, "", "input");
}

function countTokens(item: Item): number {
  return typeof item === "string" ? Math.max(1, splitTokens(item).length) : item.length;
}
