import type { CachedAnswer } from "../call/cache-entry.ts";
import type { Call } from "../call/call.ts";
import type { ManagedStore } from "./answer-store.ts";

/** The response cache. */
export interface AnswerCache {
  /**
   * Looks up the response to an earlier identical call. Returns null if this call doesn't use the cache, so that most
   * calls have no overhead. Sets the call's cache entry if the cache applies.
   */
  find(call: Call): Promise<CachedAnswer | null> | null;
  /** Returns the store, for cache management; null while caching is off. */
  store(): ManagedStore | null;
}
