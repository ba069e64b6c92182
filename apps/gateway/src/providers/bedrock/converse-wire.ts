/** A Converse content block. It has one member, whose name is the type of the block. */
export type ConverseBlock = Readonly<Record<string, unknown>>;

const CACHE_POINT: ConverseBlock = { cachePoint: { type: "default" } };
const LONG_CACHE_POINT: ConverseBlock = { cachePoint: { type: "default", ttl: "1h" } };

/** Returns the cache point for a cache mark. It marks all preceding content for prompt caching. */
export function cachePointOf(mark: unknown): ConverseBlock {
  return (mark as { readonly ttl?: unknown }).ttl === "1h" ? LONG_CACHE_POINT : CACHE_POINT;
}

/** A Converse request. */
export interface ConverseRequest {
  readonly messages: readonly { readonly role: string; readonly content: readonly ConverseBlock[] }[];
  readonly system?: readonly ConverseBlock[];
  readonly toolConfig?: { readonly tools: readonly ConverseBlock[]; readonly toolChoice?: object };
  readonly serviceTier?: { readonly type: string };
  readonly inferenceConfig?: Readonly<Record<string, unknown>>;
  readonly additionalModelRequestFields?: Readonly<Record<string, unknown>>;
}

/** Converse usage counters, which don't overlap. */
export interface ConverseUsage {
  readonly inputTokens?: unknown;
  readonly outputTokens?: unknown;
  readonly cacheReadInputTokens?: unknown;
  readonly cacheWriteInputTokens?: unknown;
  /** Cache writes by their lifetime. */
  readonly cacheDetails?: readonly ({ readonly ttl?: unknown; readonly inputTokens?: unknown } | null)[] | null;
}

/** A complete response, with only the fields that the gateway reads. */
export interface ConverseAnswer {
  readonly output?: { readonly message?: { readonly content?: unknown } | null } | null;
  readonly stopReason?: unknown;
  readonly usage?: ConverseUsage | null;
  readonly serviceTier?: { readonly type?: unknown } | null;
}
