/** A content block. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The content of one role's turn. Roles alternate. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

/** A tool that the model may use. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** Absent for a tool that the provider defines, such as `computer_20250124`. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly strict?: boolean;
  readonly cache_control?: Readonly<Record<string, unknown>>;
}

/** The tool choice. */
export interface ToolChoice {
  readonly type: "auto" | "any" | "tool" | "none";
  readonly name?: string;
  readonly disable_parallel_tool_use?: boolean;
}

/** A complete response, with only the fields that the gateway reads. */
export interface Answer {
  readonly id?: unknown;
  readonly content?: unknown;
  readonly stop_reason?: unknown;
  readonly stop_details?: unknown;
  readonly usage?: unknown;
}
