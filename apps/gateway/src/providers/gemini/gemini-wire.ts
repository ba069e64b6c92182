/** A part of a turn. Exactly one content field is set. Google adds fields over time, and unknown fields are ignored. */
export interface GeminiPart {
  readonly text?: string;
  /** True if the text is a thought summary. */
  readonly thought?: boolean;
  /** Signature that must be sent back with the same part. */
  readonly thoughtSignature?: string;
  readonly inlineData?: InlineData;
  readonly fileData?: { readonly mimeType?: string; readonly fileUri: string };
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
  readonly functionResponse?: {
    readonly id?: string;
    readonly name: string;
    readonly response: object;
    readonly parts?: readonly GeminiPart[];
  };
}

export interface InlineData {
  readonly mimeType: string;
  readonly data: string;
}

export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: readonly GeminiPart[];
}

/** A `generateContent` request. */
export interface GenerateContentRequest {
  contents: readonly GeminiContent[];
  systemInstruction?: { readonly parts: readonly GeminiPart[] };
  tools?: readonly object[];
  toolConfig?: object;
  serviceTier?: string;
  generationConfig?: Record<string, unknown>;
}

/** A complete `generateContent` response, or one stream frame. Any member may be missing. */
export interface GenerateContentResponse {
  readonly candidates?: readonly GeminiCandidate[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly usageMetadata?: GeminiUsage;
  readonly responseId?: string;
  readonly modelVersion?: string;
}

export interface GeminiCandidate {
  readonly index?: number;
  readonly content?: { readonly parts?: readonly GeminiPart[] };
  readonly finishReason?: string;
  readonly groundingMetadata?: GroundingMetadata;
  readonly logprobsResult?: LogprobsResult;
}

export interface GroundingMetadata {
  /** The searches that Google ran. */
  readonly webSearchQueries?: readonly string[];
  readonly groundingChunks?: readonly {
    readonly web?: { readonly uri?: string; readonly title?: string };
    /** A place from Google Maps. */
    readonly maps?: object;
  }[];
  readonly groundingSupports?: readonly {
    readonly segment?: { readonly startIndex?: number; readonly endIndex?: number };
    readonly groundingChunkIndices?: readonly number[];
  }[];
}

export interface LogprobsResult {
  readonly chosenCandidates?: readonly GeminiLogprob[];
  readonly topCandidates?: readonly { readonly candidates?: readonly GeminiLogprob[] }[];
}

export interface GeminiLogprob {
  readonly token?: string;
  readonly logProbability?: number;
}

export interface GeminiUsage {
  readonly promptTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
  readonly totalTokenCount?: number;
  readonly promptTokensDetails?: readonly ModalityCount[];
  readonly cacheTokensDetails?: readonly ModalityCount[];
  readonly candidatesTokensDetails?: readonly ModalityCount[];
  /** The service tier that served the call, as the Gemini API and Vertex AI name it. */
  readonly serviceTier?: string;
  readonly trafficType?: string;
}

export interface ModalityCount {
  readonly modality?: string;
  readonly tokenCount?: number;
}
