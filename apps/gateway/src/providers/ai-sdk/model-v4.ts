/** The subset of version 4 of the adapter package interface that the gateway uses. */
export interface AdapterProvider {
  readonly specificationVersion?: unknown;
  languageModel(id: string): LanguageModelV4;
  embeddingModel?(id: string): EmbeddingModelV4;
}

interface LanguageModelV4 {
  readonly specificationVersion: unknown;
  /** Provider name, such as `xai.chat`. */
  readonly provider: string;
  doGenerate(options: CallOptions): PromiseLike<GenerateResult>;
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<StreamPart> }>;
}

interface EmbeddingModelV4 {
  readonly specificationVersion: unknown;
  readonly maxEmbeddingsPerCall: number | undefined | PromiseLike<number | undefined>;
  doEmbed(options: {
    readonly values: readonly string[];
    readonly dimensions?: number;
    readonly abortSignal: AbortSignal;
    readonly headers: Readonly<Record<string, string>>;
  }): PromiseLike<{
    readonly embeddings: readonly (readonly number[])[];
    readonly usage?: { readonly tokens: number };
  }>;
}

/** Options for calling a model. */
export interface CallOptions {
  readonly prompt: readonly PromptMessage[];
  readonly abortSignal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly responseFormat?: object;
  readonly tools?: readonly object[];
  readonly toolChoice?: object;
  readonly reasoning?: string;
  readonly providerOptions?: Readonly<Record<string, object>>;
}

export interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly object[];
}

export interface GenerateResult {
  readonly content: readonly Content[];
  readonly finishReason: FinishReason;
  readonly usage: UsageV4;
  readonly response?: { readonly id?: string };
}

type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | ToolCall
  | Source
  | { readonly type: "other" };

export interface ToolCall {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as JSON. */
  readonly input: string;
  /** True if the provider ran the tool itself, so that the client must not run it. */
  readonly providerExecuted?: boolean;
}

export interface Source {
  readonly type: "source";
  readonly sourceType: string;
  readonly url?: string;
  readonly title?: string;
}

export interface FinishReason {
  readonly unified: string;
  /** The provider's finish reason; absent if the provider reported none. */
  readonly raw?: string;
}

export interface UsageV4 {
  readonly inputTokens: { readonly total?: number; readonly cacheRead?: number; readonly cacheWrite?: number };
  readonly outputTokens: { readonly total?: number; readonly reasoning?: number };
}

export type StreamPart =
  | { readonly type: "text-delta" | "reasoning-delta"; readonly delta: string }
  | {
      readonly type: "tool-input-start";
      readonly id: string;
      readonly toolName: string;
      readonly providerExecuted?: boolean;
      readonly inputEncoding?: string;
    }
  | { readonly type: "tool-input-delta"; readonly id: string; readonly delta: string }
  | ToolCall
  | Source
  | { readonly type: "response-metadata"; readonly id?: string }
  | { readonly type: "finish"; readonly finishReason: FinishReason; readonly usage: UsageV4 }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "other" };
