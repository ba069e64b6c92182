/** A piece of a message in this dialect. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

/** What one side says in turn. Sides alternate. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

/** A tool the model may use. */
export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly strict?: boolean;
  readonly cache_control?: Readonly<Record<string, unknown>>;
}

/** Which of the tools the model has to use. */
export interface ToolChoice {
  readonly type: "auto" | "any" | "tool" | "none";
  readonly name?: string;
  readonly disable_parallel_tool_use?: boolean;
}

/** A complete answer, as far as it is read. */
export interface Answer {
  readonly id?: unknown;
  readonly content?: unknown;
  readonly stop_reason?: unknown;
  readonly stop_details?: unknown;
  readonly usage?: unknown;
}
