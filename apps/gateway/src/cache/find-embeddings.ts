import { Failure } from "@tollgate/contracts/failures.ts";
import type { CachedAnswer, SentAnswer } from "../call/cache-entry.ts";
import { inStage } from "../call/call.ts";
import type { CallBody } from "../call/call-body.ts";
import { CacheWriter } from "./cache-writer.ts";
import { itemsOf, keysOfItems, vectorsOf, withItems, writeVectors } from "./embedding-items.ts";
import { freshOf, type Look } from "./look.ts";

/**
 * Looks up the vector for each input. If all vectors are cached, the response is built from them. If only some are
 * cached, the call continues with the missing inputs, and the cached vectors are added to the response.
 */
export async function findEmbeddings(look: Look, wallClock: () => number): Promise<CachedAnswer | null> {
  const { call, store, parts } = look;
  const items = itemsOf(parts.request);
  // A fallback with its own body is a different request, so don't look up individual inputs.
  if (items === null || call.fallbackBodies !== null) return null;
  const keys = keysOfItems(parts, items);
  const found = (await store.get(keys)).map((value) => freshOf(value, look));
  const vectors = found.map((kept) => (kept === null ? null : (vectorsOf(kept.text, 1)?.[0] ?? null)));
  const missing = items.filter((_, index) => vectors[index] === null);
  const [first] = found.filter((kept) => kept !== null);
  if (missing.length === 0 && first !== undefined) {
    const text = writeVectors(vectors as readonly string[], call.model.shownJson, 0);
    return { text, contentType: "application/json", deploymentId: first.deploymentId };
  }
  inStage(call, "checked").cacheEntry = new EmbeddingsEntry(look, wallClock, keys, vectors);
  if (missing.length < items.length) call.useBody(withItems(call.body, missing));
  return null;
}

/** Caches the vector for each input, and merges cached vectors with new vectors. */
class EmbeddingsEntry extends CacheWriter {
  readonly #keys: readonly string[];
  readonly #vectors: readonly (string | null)[];
  readonly #wholeBody: CallBody;

  constructor(look: Look, wallClock: () => number, keys: readonly string[], vectors: readonly (string | null)[]) {
    super(look, wallClock);
    this.#keys = keys;
    this.#vectors = vectors;
    this.#wholeBody = look.call.body;
  }

  override get wholeBody(): CallBody {
    return this.#wholeBody;
  }

  override complete(text: string): string {
    const missing = this.#vectors.filter((vector) => vector === null).length;
    // A fallback group received the whole request, because vectors from different models can't be compared.
    if (missing === this.#vectors.length || this.look.call.fallbackFrom !== null) return text;
    const fresh = vectorsOf(text, missing);
    if (fresh === null) throw new Failure("bad_gateway", "The model did not return one embedding per input.");
    const rest = fresh.values();
    const { usage } = JSON.parse(text) as { readonly usage?: { readonly prompt_tokens?: number } };
    const joined = this.#vectors.map((vector) => vector ?? (rest.next().value as string));
    return writeVectors(joined, this.look.call.model.shownJson, usage?.prompt_tokens ?? 0);
  }

  override keep(answer: SentAnswer): void {
    super.keep(answer);
    const vectors = vectorsOf(answer.text, this.#keys.length);
    vectors?.forEach((vector, index) => {
      if (this.#vectors[index] !== null) return;
      const text = writeVectors([vector], this.look.call.model.shownJson, 0);
      this.put(this.#keys[index] as string, { ...answer, text });
    });
  }
}
