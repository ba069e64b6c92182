/** A content part: text or thinking. */
export interface CohereContent {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

export interface CohereToolCall {
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

/** The sources of a passage in the response. */
export interface CohereCitation {
  readonly start?: unknown;
  readonly end?: unknown;
  readonly sources?: unknown;
}

export interface CohereUsage {
  readonly billed_units?: CohereTokens | null;
  readonly tokens?: CohereTokens | null;
  readonly cached_tokens?: unknown;
}

interface CohereTokens {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
}

/** A complete response, with the fields that are read. */
export interface CohereAnswer {
  readonly id?: unknown;
  readonly finish_reason?: unknown;
  readonly message?: {
    readonly content?: unknown;
    readonly tool_plan?: unknown;
    readonly tool_calls?: unknown;
    readonly citations?: unknown;
  } | null;
  readonly usage?: CohereUsage | null;
}
