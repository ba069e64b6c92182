import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { CacheSettings } from "@tollgate/runtime/settings/settings.ts";
import type { OperationName } from "../operations/operation-kind.ts";

/** What a call wants of the cache. */
export interface CacheOptions {
  readonly reads: boolean;
  readonly writes: boolean;
  readonly ttlMs: number;
  /** Older answers are not taken; null takes any that is still there. */
  readonly maxAgeMs: number | null;
  readonly namespace: string | null;
}

/** What settings call the operations whose answers can be kept. */
const callTypes: Readonly<Partial<Record<OperationName, CacheSettings["supportedCallTypes"][number]>>> = {
  "chat.completions": "completion",
  completions: "completion",
  messages: "completion",
  responses: "completion",
  embeddings: "embedding",
  "audio.transcriptions": "transcription",
  rerank: "rerank",
};

/** What a call wants of the cache; null when it has nothing to do with it. */
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

/** Whether the same request is answered from what happened meanwhile, or goes on after its answer. */
function isStateful(request: InferenceRequest): boolean {
  const { conversation, background } = request as { readonly conversation?: unknown; readonly background?: unknown };
  return conversation != null || background === true;
}
