/** A Converse content block. It has one member, whose name is the type of the block. */
export type ConverseBlock = Readonly<Record<string, unknown>>;

/** A cache point. It marks all preceding content for prompt caching. */
export const CACHE_POINT: ConverseBlock = { cachePoint: { type: "default" } };

/** A Converse request. */
export interface ConverseRequest {
  readonly messages: readonly { readonly role: string; readonly content: readonly ConverseBlock[] }[];
  readonly system?: readonly ConverseBlock[];
  readonly toolConfig?: { readonly tools: readonly ConverseBlock[]; readonly toolChoice?: object };
  readonly inferenceConfig?: Readonly<Record<string, unknown>>;
  readonly additionalModelRequestFields?: Readonly<Record<string, unknown>>;
}

/** Converse usage counters, which don't overlap. */
export interface ConverseUsage {
  readonly inputTokens?: unknown;
  readonly outputTokens?: unknown;
  readonly cacheReadInputTokens?: unknown;
  readonly cacheWriteInputTokens?: unknown;
}

/** A complete response, with only the fields that the gateway reads. */
export interface ConverseAnswer {
  readonly output?: { readonly message?: { readonly content?: unknown } | null } | null;
  readonly stopReason?: unknown;
  readonly usage?: ConverseUsage | null;
}
