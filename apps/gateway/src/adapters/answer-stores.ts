import { processClock } from "@tollgate/runtime/process-clock.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { CacheSettings } from "@tollgate/runtime/settings/settings.ts";
import type { ManagedStore } from "../cache/answer-store.ts";
import { MemoryAnswers } from "../cache/memory-answers.ts";
import { RedisAnswers } from "./redis-answers.ts";

interface AnswerStoresParts {
  /** Redis URL that the cache uses if the cache settings don't contain a URL. */
  readonly redisUrl: string | null;
  readonly sealer: SecretBox | null;
  readonly onTrouble: (error: unknown) => void;
}

/** Opens the configured store on first use. If the store settings change, opens a new store. */
export class AnswerStores {
  readonly #parts: AnswerStoresParts;
  #settings: CacheSettings | null = null;
  #where: string | null = null;
  #store: ManagedStore | null = null;

  constructor(parts: AnswerStoresParts) {
    this.#parts = parts;
  }

  of(settings: CacheSettings): ManagedStore {
    if (settings === this.#settings && this.#store !== null) return this.#store;
    this.#settings = settings;
    const url = settings.type === "redis" ? (settings.redisUrl?.reveal() ?? this.#parts.redisUrl) : null;
    const where = `${url} ${settings.namespace}`;
    if (this.#store !== null && where === this.#where) return this.#store;
    this.close();
    this.#where = where;
    this.#store = this.#open(settings, url);
    return this.#store;
  }

  close(): void {
    this.#store?.close();
    this.#store = null;
  }

  #open({ type, namespace }: CacheSettings, url: string | null): ManagedStore {
    const { sealer, onTrouble } = this.#parts;
    const now = processClock.monotonicMs;
    if (url !== null) return new RedisAnswers({ url, namespace, sealer, now, onTrouble });
    if (type === "redis") onTrouble(new Error("cache_params.type is redis but no Redis is configured; using memory"));
    return new MemoryAnswers(now);
  }
}
