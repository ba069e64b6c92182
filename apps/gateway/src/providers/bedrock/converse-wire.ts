/** A piece of a message in Amazon's common interface: one member, named after what it is. */
export type ConverseBlock = Readonly<Record<string, unknown>>;

/** A mark that everything before it may be kept for later calls. */
export const CACHE_POINT: ConverseBlock = { cachePoint: { type: "default" } };

/** A request of the common interface. */
export interface ConverseRequest {
  readonly messages: readonly { readonly role: string; readonly content: readonly ConverseBlock[] }[];
  readonly system?: readonly ConverseBlock[];
  readonly toolConfig?: { readonly tools: readonly ConverseBlock[]; readonly toolChoice?: object };
  readonly inferenceConfig?: Readonly<Record<string, unknown>>;
  readonly additionalModelRequestFields?: Readonly<Record<string, unknown>>;
}

/** The counters of the common interface, which do not overlap. */
export interface ConverseUsage {
  readonly inputTokens?: unknown;
  readonly outputTokens?: unknown;
  readonly cacheReadInputTokens?: unknown;
  readonly cacheWriteInputTokens?: unknown;
}

/** A complete answer, as far as it is read. */
export interface ConverseAnswer {
  readonly output?: { readonly message?: { readonly content?: unknown } | null } | null;
  readonly stopReason?: unknown;
  readonly usage?: ConverseUsage | null;
}
