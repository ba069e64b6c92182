import { createHash } from "node:crypto";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { ManagedStore } from "../cache/answer-store.ts";
import { openRedisClient, type RedisClient } from "./open-redis-client.ts";
import { SilenceWatch } from "./silence-watch.ts";

/** A server that has said nothing for so long counts as away, and no call waits longer than this to be looked up. */
const SILENCE_MS = 100;
const MAX_WAIT_MS = 250;
/** How often trouble is told: while Redis is away every call has it. */
const TELL_EVERY_MS = 10_000;
const SCAN_COUNT = 500;
/** What answers are sealed for: nothing else opens them. */
const PURPOSE = "cached answer";

export interface RedisAnswersParts {
  readonly url: string;
  /** Keeps installations apart that share a server. */
  readonly namespace: string | null;
  /** Null where there is no secret key: then answers are kept as they are. */
  readonly sealer: SecretBox | null;
  readonly now: () => number;
  readonly onTrouble: (error: unknown) => void;
}

/** Answers in Redis, shared by all processes. What cannot be read in time is not there, and what cannot be written is lost. */
export class RedisAnswers implements ManagedStore {
  readonly #parts: RedisAnswersParts;
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #watch = new SilenceWatch(SILENCE_MS, MAX_WAIT_MS);
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RedisAnswersParts) {
    this.#parts = parts;
    // A digest, because a name may hold what means something in a pattern.
    const place = createHash("sha256")
      .update(parts.namespace ?? "")
      .digest("hex")
      .slice(0, 8);
    this.#prefix = `tollgate:cache:${place}:`;
    this.#client = openRedisClient(parts.url);
  }

  async get(keys: readonly string[]): Promise<readonly (string | null)[]> {
    try {
      const values = await this.#ask(() => this.#client.mGet(this.#toKeys(keys)));
      return values.map((value) => (value === null ? null : this.#open(value)));
    } catch (error) {
      this.#tell(error);
      return keys.map(() => null);
    }
  }

  put(key: string, value: string, ttlMs: number): void {
    const { sealer } = this.#parts;
    const stored = sealer === null ? value : sealer.seal(value, PURPOSE);
    const expiration = { type: "PX", value: Math.ceil(ttlMs) } as const;
    this.#ask(() => this.#client.set(this.#prefix + key, stored, { expiration })).catch((error) => this.#tell(error));
  }

  async ping(): Promise<void> {
    await this.#ask(() => this.#client.ping());
  }

  delete(keys: readonly string[]): Promise<number> {
    return this.#ask(() => this.#client.unlink(this.#toKeys(keys)));
  }

  /** Only what is ours: others may live on the same server. */
  async clear(): Promise<void> {
    for await (const found of this.#client.scanIterator({ MATCH: `${this.#prefix}*`, COUNT: SCAN_COUNT })) {
      if (found.length > 0) await this.#client.unlink(found);
    }
  }

  close(): void {
    this.#client.destroy();
  }

  async #ask<T>(send: () => Promise<T>): Promise<T> {
    if (!this.#client.isReady) throw new Error("not connected to Redis");
    return this.#watch.guard(send());
  }

  /** Sealed under another key, or not sealed where it should be: not ours to read. */
  #open(value: string): string | null {
    const { sealer } = this.#parts;
    if (sealer === null) return value;
    try {
      return sealer.open(value, PURPOSE);
    } catch {
      return null;
    }
  }

  #tell(error: unknown): void {
    const nowMs = this.#parts.now();
    if (nowMs - this.#reportedAtMs < TELL_EVERY_MS) return;
    this.#reportedAtMs = nowMs;
    this.#parts.onTrouble(error);
  }

  #toKeys(keys: readonly string[]): string[] {
    return keys.map((key) => this.#prefix + key);
  }
}
