import { createHash } from "node:crypto";
import { SilenceWatch } from "@tollgate/runtime/limits/silence-watch.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { ManagedStore } from "../cache/answer-store.ts";
import { openRedisClient, type RedisClient } from "./open-redis-client.ts";

/** Timeout for a server that sends no bytes. It is also the maximum time that a call waits for a lookup. */
const SILENCE_MS = 100;
const MAX_WAIT_MS = 250;
/** Minimum interval between error reports. While Redis is unavailable, every call fails. */
const TELL_EVERY_MS = 10_000;
const SCAN_COUNT = 500;
/** Encryption purpose of cached responses, so that a ciphertext can't be used for another purpose. */
const PURPOSE = "cached answer";

interface RedisAnswersParts {
  readonly url: string;
  /** Namespace that separates the cached responses of Tollgate instances that share a Redis server. */
  readonly namespace: string | null;
  /** Null if no secret key is configured. Responses are then stored unencrypted. */
  readonly sealer: SecretBox | null;
  readonly now: () => number;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Stores cached responses in Redis, shared by all processes. A late read counts as a miss, and a failed write is
 * dropped.
 */
export class RedisAnswers implements ManagedStore {
  readonly #parts: RedisAnswersParts;
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #watch = new SilenceWatch(SILENCE_MS, MAX_WAIT_MS);
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RedisAnswersParts) {
    this.#parts = parts;
    // The prefix contains a digest of the namespace, because the namespace may contain pattern characters.
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

  /** Deletes only this instance's keys, because the server may hold other data. */
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

  /** Returns null for values that are not encrypted, or that are encrypted with a different key. */
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
