import type { CacheSettings } from "@tollgate/runtime/settings/settings.ts";
import type { CachedAnswer } from "../call/cache-entry.ts";
import { type Call, inStage } from "../call/call.ts";
import { describeFile } from "../wire/digest-request.ts";
import type { ManagedStore } from "./answer-store.ts";
import { keyOf, keyPartsOf } from "./cache-key.ts";
import { type CacheOptions, readCacheOptions } from "./cache-options.ts";
import { CacheWriter } from "./cache-writer.ts";
import { changeForm } from "./change-form.ts";
import { withListedInput } from "./embedding-items.ts";
import { findEmbeddings } from "./find-embeddings.ts";
import { freshOf, type Look } from "./look.ts";

/** Opens the stores of cached responses. */
export interface AnswerStoreSource {
  /** Returns the store that these settings configure. */
  of(settings: CacheSettings): ManagedStore;
}

/** Answers identical calls within the cache scope with the first call's response. Exists only while caching is on. */
export class ResponseCache {
  readonly #settings: CacheSettings;
  readonly #stores: AnswerStoreSource;
  readonly #wallClock: () => number;

  /** `wallClock` returns Unix time in milliseconds. */
  constructor(settings: CacheSettings, stores: AnswerStoreSource, wallClock: () => number) {
    this.#settings = settings;
    this.#stores = stores;
    this.#wallClock = wallClock;
  }

  /**
   * Looks up the response to an earlier identical call. Returns null if this call doesn't use the cache, so that most
   * calls have no overhead. Sets the call's cache entry if the cache applies.
   */
  find(call: Call): Promise<CachedAnswer | null> | null {
    // Internal calls from this Tollgate instance are recorded under their own endpoint and never cached.
    if (call.exchange.endpoint !== null) return null;
    // The provider bills a call with the caller's own key to the caller, so the response belongs to no one else.
    if (call.ownKey !== null) return null;
    // A call that stores its response or continues an earlier one needs a new response ID, so it bypasses the cache.
    const { conversation } = call;
    if (conversation !== null && (conversation.isKept || conversation.previousId !== null)) return null;
    const options = readCacheOptions(call.operation, call.body.request, this.#settings);
    return options === null ? null : this.#find(call, options);
  }

  /** Returns the store, for cache management. Opens it on first use. */
  get store(): ManagedStore {
    return this.#stores.of(this.#settings);
  }

  async #find(call: Call, options: CacheOptions): Promise<CachedAnswer | null> {
    const file = call.body.file === null ? null : await describeFile(call.body.file);
    const read = keyPartsOf(call, this.#settings, options.namespace, file);
    const parts = call.operation === "embeddings" ? withListedInput(read) : read;
    const key = keyOf(parts);
    const { store } = this;
    const look: Look = { call, store, options, parts, key, nowMs: this.#wallClock() };
    inStage(call, "checked").cacheEntry = new CacheWriter(look, this.#wallClock);
    if (!options.reads) return null;
    const [value] = await store.get([key]);
    const kept = freshOf(value ?? null, look);
    const text = kept === null ? null : changeForm(call, kept);
    if (kept !== null && text !== null) {
      const isSame = call.answerForm === kept.form;
      const contentType = isSame ? kept.contentType : "application/json";
      return { text, contentType, deploymentId: kept.deploymentId };
    }
    return call.operation === "embeddings" ? findEmbeddings(look, this.#wallClock) : null;
  }
}
