import type { Call } from "../call/call.ts";
import type { AnswerStore } from "./answer-store.ts";
import type { KeyParts } from "./cache-key.ts";
import type { CacheOptions } from "./cache-options.ts";
import { type CacheRecord, decodeCacheRecord } from "./cache-record.ts";

/** One call's cache lookup. */
export interface Look {
  readonly call: Call;
  readonly store: AnswerStore;
  readonly options: CacheOptions;
  readonly parts: KeyParts;
  readonly key: string;
  readonly nowMs: number;
}

/** Decodes a cached record; null if it is invalid or older than the call accepts. */
export function freshOf(value: string | null, { options, nowMs }: Pick<Look, "options" | "nowMs">): CacheRecord | null {
  const kept = value === null ? null : decodeCacheRecord(value);
  if (kept === null) return null;
  return options.maxAgeMs !== null && nowMs - kept.keptAtMs > options.maxAgeMs ? null : kept;
}
