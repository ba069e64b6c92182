// cspell:ignore tells -- See cache-record.ts.

import type { CacheEntry, SentAnswer } from "../call/cache-entry.ts";
import type { CallBody } from "../call/call-body.ts";
import { encodeCacheRecord } from "./cache-record.ts";
import type { Look } from "./look.ts";

/** Maximum size of a cached response. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/** Caches a call's response under the call's cache key. */
export class CacheWriter implements CacheEntry {
  protected readonly look: Look;
  readonly #wallClock: () => number;

  constructor(look: Look, wallClock: () => number) {
    this.look = look;
    this.#wallClock = wallClock;
  }

  get wholeBody(): CallBody | null {
    return null;
  }

  get missLines(): string {
    return `x-gw-cache-key: ${this.look.key}\r\nx-gw-cache-hit: false\r\n`;
  }

  get hitLines(): string {
    return `x-gw-cache-key: ${this.look.key}\r\nx-gw-cache-hit: true\r\n`;
  }

  get mostBytes(): number {
    return this.look.options.writes ? MAX_ANSWER_BYTES : 0;
  }

  complete(text: string): string {
    return text;
  }

  keep(answer: SentAnswer): void {
    this.put(this.look.key, answer);
  }

  protected put(key: string, { text, contentType, deploymentId, usage }: SentAnswer): void {
    const { call, store, options } = this.look;
    // A fallback's response is not cached, because it isn't from the requested model group.
    if (!options.writes || text.length > MAX_ANSWER_BYTES || call.fallbackFrom !== null) return;
    const kept = encodeCacheRecord({
      form: call.answerForm,
      tellsUsage: call.wantsUsage,
      promptTokens: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
      outputTokens: usage.outputTokens,
      keptAtMs: this.#wallClock(),
      deploymentId,
      contentType,
      text,
    });
    store.put(key, kept, options.ttlMs);
  }
}
