/** The fields of the gateway's Assistants API objects that these pages show. Times are in seconds. */
export interface Assistant {
  readonly id: string;
  readonly created_at: number;
  readonly name: string | null;
  readonly description: string | null;
  readonly model: string;
  readonly instructions: string | null;
  readonly tools: readonly {
    readonly type: string;
    readonly function?: { readonly name: string; readonly description?: unknown; readonly parameters?: unknown };
  }[];
  readonly temperature: number | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ThreadMessage {
  readonly id: string;
  readonly created_at: number;
  readonly role: "user" | "assistant";
  readonly status: "in_progress" | "incomplete" | "completed";
  readonly incomplete_details: { readonly reason: string } | null;
  readonly content: readonly ContentPart[];
  readonly run_id: string | null;
}

export interface ContentPart {
  readonly type: string;
  readonly text?: { readonly value: string };
  readonly refusal?: string;
  readonly image_url?: { readonly url: string };
  readonly image_file?: { readonly file_id: string };
}

export interface ToolCall {
  readonly id: string;
  readonly type: string;
  readonly function?: { readonly name: string; readonly arguments: string; readonly output?: string | null };
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export interface ThreadRun {
  readonly id: string;
  readonly created_at: number;
  readonly assistant_id: string;
  readonly status: string;
  readonly model: string;
  readonly required_action: { readonly submit_tool_outputs: { readonly tool_calls: readonly ToolCall[] } } | null;
  readonly last_error: { readonly code: string; readonly message: string } | null;
  readonly incomplete_details: { readonly reason: string } | null;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly failed_at: number | null;
  readonly cancelled_at: number | null;
  readonly usage: Usage | null;
}

export interface RunStep {
  readonly id: string;
  readonly created_at: number;
  readonly type: "message_creation" | "tool_calls";
  readonly status: string;
  readonly step_details: {
    readonly message_creation?: { readonly message_id: string };
    readonly tool_calls?: readonly ToolCall[];
  };
  readonly last_error: { readonly message: string } | null;
  readonly usage: Usage | null;
}

export interface Listed<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly last_id: string | null;
}

const terminal: ReadonlySet<string> = new Set(["cancelled", "failed", "completed", "incomplete", "expired"]);

/** Reports whether a run has ended. */
export function isOver(run: Pick<ThreadRun, "status">): boolean {
  return terminal.has(run.status);
}

/** Converts a Unix time in seconds to a Date. */
export function momentOf(seconds: number): Date {
  return new Date(seconds * 1_000);
}
