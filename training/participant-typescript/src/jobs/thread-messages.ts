import type { Bytes, JsonObject, JsonValue, Operation, Progress, Row } from "../handlers.ts";
import type { ParticipantCode } from "../participant-failure.ts";

/** Job data for a function, in a form that can be sent to a thread. */
export interface ThreadCall {
  readonly kind: "call";
  readonly operation: Operation;
  readonly parameters: Bytes | null;
  readonly parametersList: Bytes[];
  readonly rows: Row[];
  readonly weights?: number[];
  readonly config: JsonObject;
  readonly round?: number;
  readonly runId?: string;
  readonly jobId: string;
}

/** Rows are fetched in batches, so that a large file does not fill the thread's memory. */
export interface RowBatch {
  readonly kind: "rows";
  readonly reader: number;
  readonly rows: Row[];
  readonly isLast: boolean;
  readonly error?: ThrownError;
}

export type ToThread = ThreadCall | RowBatch | { readonly kind: "abort"; readonly reason: ThrownError };

/** A thread's error in serializable form, because error classes do not survive the transfer. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: ParticipantCode;
  readonly details?: Record<string, JsonValue>;
}

export type FromThread =
  | { readonly kind: "ready"; readonly operations: Operation[] }
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "log"; readonly level: "info" | "warn" | "error"; readonly message: string }
  | { readonly kind: "want rows"; readonly reader: number }
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: ThrownError };
