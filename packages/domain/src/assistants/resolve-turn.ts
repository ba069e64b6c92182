import type { ReadTurn, TurnFailure } from "./read-turn.ts";
import type { MessageFields, RunFields, StepFields } from "./records.ts";
import type { RunCommand } from "./run-machine.ts";

/** Final states of the records that a model response produced. */
export interface TurnEnd {
  readonly message: Pick<MessageFields, "status" | "incompleteReason">;
  /** Status of the message step. */
  readonly step: StepFields["status"];
  /** Status of the tool call step, which stays open while the client runs the functions. */
  readonly calls: StepFields["status"];
  readonly lastError: StepFields["lastError"];
}

interface ResolvedTurn {
  readonly command: RunCommand;
  readonly fields: Partial<RunFields>;
  readonly end: TurnEnd;
}

const COMPLETE: TurnEnd = {
  message: { status: "completed", incompleteReason: null },
  step: "completed",
  calls: "in_progress",
  lastError: null,
};
const FILTERED: TurnFailure = {
  code: "invalid_prompt",
  message: "A content filter stopped the response.",
  isTooLong: false,
};

/** Resolves a model response into the next command for its run. */
export function resolveTurn({ finish, calls }: ReadTurn): ResolvedTurn {
  // Check for truncation first, because truncated tool calls can't be executed.
  if (finish === "length") {
    return {
      command: { kind: "run_out" },
      fields: { incompleteReason: "max_completion_tokens" },
      end: { ...COMPLETE, message: { status: "incomplete", incompleteReason: "max_tokens" }, calls: "failed" },
    };
  }
  // The API defines no run error for filtered content, so the run fails as if the gateway had responded with 400.
  if (finish === "content_filter") return failTurn(FILTERED, "content_filter");
  if (calls.length > 0) return { command: { kind: "require_action" }, fields: {}, end: COMPLETE };
  return { command: { kind: "complete" }, fields: {}, end: COMPLETE };
}

/** Returns the run and record states after a failed model call. */
export function failTurn(
  { code, message }: TurnFailure,
  incompleteReason: MessageFields["incompleteReason"],
): ResolvedTurn {
  const lastError = { code, message };
  return {
    command: { kind: "fail" },
    fields: { lastError },
    end: { message: { status: "incomplete", incompleteReason }, step: "failed", calls: "failed", lastError },
  };
}

/** Final states of the records when the run is canceled during the model call. */
export const CANCELLED: TurnEnd = {
  message: { status: "incomplete", incompleteReason: "run_cancelled" },
  step: "cancelled",
  calls: "cancelled",
  lastError: null,
};
