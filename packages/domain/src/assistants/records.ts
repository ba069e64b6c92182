import type { NanoUsd } from "../money.ts";
import type { RunState } from "./run-machine.ts";

/** JSON from the client, returned unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonFields = { readonly [key: string]: Json };

/** Up to 16 client-defined pairs of short strings. */
export type Metadata = Readonly<Record<string, string>>;

export interface FunctionTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: JsonFields | null;
    readonly strict?: boolean | null;
  };
}

export type Tool =
  | FunctionTool
  | { readonly type: "code_interpreter" }
  | { readonly type: "file_search"; readonly file_search?: JsonFields };

/** Owner of a record, in database format: `team:…`, `user:…`, or `key:…`. */
export type Owner = string;

/** Fields common to all records. Times are Unix milliseconds. The wire format uses seconds. */
interface Stored {
  readonly id: string;
  readonly createdAtMs: number;
}

/** Client-supplied assistant fields with defaults filled in. */
export interface AssistantFields {
  readonly name: string | null;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly model: string;
  readonly tools: readonly Tool[];
  readonly tool_resources: JsonFields | null;
  readonly metadata: Metadata;
  readonly temperature: number | null;
  readonly top_p: number | null;
  readonly response_format: Json;
  readonly reasoning_effort: string | null;
}

export interface Assistant extends Stored {
  readonly fields: AssistantFields;
}

export interface ThreadFields {
  readonly metadata: Metadata;
  readonly tool_resources: JsonFields | null;
}

export interface Thread extends Stored {
  readonly fields: ThreadFields;
}

export type ContentPart =
  | { readonly type: "text"; readonly text: { readonly value: string; readonly annotations: readonly Json[] } }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string; readonly detail?: string } }
  | { readonly type: "image_file"; readonly image_file: { readonly file_id: string; readonly detail?: string } }
  | { readonly type: "refusal"; readonly refusal: string };

export type MessageEnd = "content_filter" | "max_tokens" | "run_cancelled" | "run_expired" | "run_failed";

export interface MessageFields {
  readonly role: "user" | "assistant";
  readonly content: readonly ContentPart[];
  readonly status: "in_progress" | "incomplete" | "completed";
  readonly incompleteReason: MessageEnd | null;
  readonly endedAtMs: number | null;
  readonly assistantId: string | null;
  readonly attachments: readonly JsonFields[] | null;
  readonly metadata: Metadata;
}

export interface Message extends Stored {
  readonly threadId: string;
  readonly runId: string | null;
  readonly fields: MessageFields;
}

/** A function call requested by the model, in chat completions format. */
export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export type RunErrorCode = "server_error" | "rate_limit_exceeded" | "invalid_prompt";

/** A run's input (the assistant's settings merged with the run's own settings) and its outcome. */
export interface RunFields {
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly metadata: Metadata;
  readonly temperature: number | null;
  readonly top_p: number | null;
  readonly max_prompt_tokens: number | null;
  readonly max_completion_tokens: number | null;
  readonly truncation_strategy: { readonly type: "auto" | "last_messages"; readonly last_messages: number | null };
  readonly tool_choice: Json;
  readonly parallel_tool_calls: boolean;
  readonly response_format: Json;
  readonly reasoning_effort: string | null;
  /** Tool calls that the client must answer; null if there are none. */
  readonly required: readonly ToolCall[] | null;
  readonly lastError: { readonly code: RunErrorCode; readonly message: string } | null;
  readonly incompleteReason: "max_completion_tokens" | "max_prompt_tokens" | null;
}

export interface Run extends Stored {
  readonly threadId: string;
  readonly assistantId: string;
  readonly keyId: string;
  readonly organizationId: string | null;
  readonly state: RunState;
  /** Null until the run has ended. */
  readonly usage: ChargedUsage | null;
  readonly fields: RunFields;
}

export interface TurnUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Usage of model calls with the amount that the ledger charges for them; null while it is not known. */
export interface ChargedUsage extends TurnUsage {
  readonly cost: NanoUsd | null;
}

/** A tool call in a step, with its output once the client has submitted it. */
export interface StepCall extends ToolCall {
  readonly output: string | null;
  /** Vendor-specific data to send back with the call. Never shown to clients. */
  readonly extra?: Json;
}

type StepDetails =
  | { readonly type: "message_creation"; readonly messageId: string }
  | {
      readonly type: "tool_calls";
      readonly calls: readonly StepCall[];
      /** Signed reasoning behind the calls, which some models require to be sent back. Never shown to clients. */
      readonly thoughts?: readonly Json[];
    };

export interface StepFields {
  readonly status: "in_progress" | "cancelled" | "failed" | "completed" | "expired";
  readonly details: StepDetails;
  readonly lastError: { readonly code: RunErrorCode; readonly message: string } | null;
  readonly endedAtMs: number | null;
  readonly usage: TurnUsage | null;
}

export interface Step extends Stored {
  readonly runId: string;
  readonly threadId: string;
  readonly assistantId: string;
  readonly fields: StepFields;
}

/** A named event of a streamed run. `data` is the wire payload. */
export interface RunEvent {
  readonly event: string;
  readonly data: Json;
}

/** Page parameters of a list, newest first by default. Cursors are IDs. The page excludes the cursor's record. */
export interface PageQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  readonly after?: string;
  readonly before?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}
