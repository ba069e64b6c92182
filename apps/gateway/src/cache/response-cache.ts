import type { CacheSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import type { CachedAnswer } from "../call/cache-entry.ts";
import { type Call, inStage } from "../call/call.ts";
import { describeFile } from "../wire/digest-request.ts";
import type { AnswerCache } from "./answer-cache.ts";
import type { ManagedStore } from "./answer-store.ts";
import { keyOf, keyPartsOf } from "./cache-key.ts";
import { type CacheOptions, readCacheOptions } from "./cache-options.ts";
import { CacheWriter } from "./cache-writer.ts";
import { changeForm } from "./change-form.ts";
import { withListedInput } from "./embedding-items.ts";
import { findEmbeddings } from "./find-embeddings.ts";
import { freshOf, type Look } from "./look.ts";

interface ResponseCacheParts {
  readonly settings: () => Settings;
  /** Returns the store that the settings configure. */
  readonly storeOf: (settings: CacheSettings) => ManagedStore;
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
}

/** Answers identical calls within the cache scope with the first call's response. */
export class ResponseCache implements AnswerCache {
  readonly #parts: ResponseCacheParts;

  constructor(parts: ResponseCacheParts) {
    this.#parts = parts;
  }

  find(call: Call): Promise<CachedAnswer | null> | null {
    const { cache } = this.#parts.settings().gateway;
    // Internal calls from this Tollgate instance are recorded under their own endpoint and never cached.
    if (!cache.enabled || call.exchange.endpoint !== null) return null;
    // A call that stores its response or continues an earlier one needs a new response ID, so it bypasses the cache.
    const { conversation } = call;
    if (conversation !== null && (conversation.isKept || conversation.previousId !== null)) return null;
    const options = readCacheOptions(call.operation, call.body.request, cache);
    return options === null ? null : this.#find(call, cache, options);
  }

  store(): ManagedStore | null {
    const { cache } = this.#parts.settings().gateway;
    return cache.enabled ? this.#parts.storeOf(cache) : null;
  }

  async #find(call: Call, settings: CacheSettings, options: CacheOptions): Promise<CachedAnswer | null> {
    const file = call.body.file === null ? null : await describeFile(call.body.file);
    const read = keyPartsOf(call, settings, options.namespace, file);
    const parts = call.operation === "embeddings" ? withListedInput(read) : read;
    const key = keyOf(parts);
    const store = this.#parts.storeOf(settings);
    const look: Look = { call, store, options, parts, key, nowMs: this.#parts.wallClock() };
    inStage(call, "checked").cacheEntry = new CacheWriter(look, this.#parts.wallClock);
    if (!options.reads) return null;
    const [value] = await store.get([key]);
    const kept = freshOf(value ?? null, look);
    const text = kept === null ? null : changeForm(call, kept);
    if (kept !== null && text !== null) {
      const isSame = call.answerForm === kept.form;
      const contentType = isSame ? kept.contentType : "application/json";
      return { text, contentType, deploymentId: kept.deploymentId };
    }
    return call.operation === "embeddings" ? findEmbeddings(look, this.#parts.wallClock) : null;
  }
}
