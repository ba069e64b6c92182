import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { CacheSettings } from "@tollgate/runtime/settings/settings.ts";
import type { OperationName } from "../call/operation-traits.ts";

/** A call's cache options. */
export interface CacheOptions {
  readonly reads: boolean;
  readonly writes: boolean;
  readonly ttlMs: number;
  /** Maximum age of a cached response that the call accepts; null accepts any age. */
  readonly maxAgeMs: number | null;
  readonly namespace: string | null;
}

/** Configuration names of the operations whose responses can be cached. */
const callTypes: Readonly<Partial<Record<OperationName, CacheSettings["supportedCallTypes"][number]>>> = {
  "chat.completions": "completion",
  completions: "completion",
  messages: "completion",
  responses: "completion",
  embeddings: "embedding",
  "audio.transcriptions": "transcription",
  rerank: "rerank",
};

/** Returns a call's cache options; null if the call doesn't use the cache. */
export function readCacheOptions(
  operation: OperationName,
  request: InferenceRequest,
  settings: CacheSettings,
): CacheOptions | null {
  const type = callTypes[operation];
  if (type === undefined || !settings.supportedCallTypes.includes(type) || request.caching === false) return null;
  const controls = request.cache ?? {};
  const isAsked = request.caching === true || controls["use-cache"] === true;
  if (settings.mode === "default_off" && !isAsked) return null;
  if (isStateful(request)) return null;
  const ttlMs = (controls.ttl ?? settings.ttlSeconds) * 1_000;
  const maxAge = controls["s-maxage"] ?? null;
  return {
    reads: controls["no-cache"] !== true && maxAge !== 0,
    writes: controls["no-store"] !== true && ttlMs > 0,
    ttlMs,
    maxAgeMs: maxAge === null ? null : maxAge * 1_000,
    namespace: controls.namespace ?? null,
  };
}

/** Reports whether the response depends on a stored conversation, or is generated in the background. */
function isStateful(request: InferenceRequest): boolean {
  const { conversation, background } = request as { readonly conversation?: unknown; readonly background?: unknown };
  return conversation != null || background === true;
}
