import type { ReadTurn, TurnFailure } from "./read-turn.ts";
import type { MessageFields, RunFields, StepFields } from "./records.ts";
import type { RunCommand } from "./run-machine.ts";

/** How the records of an answer end. */
export interface TurnEnd {
  readonly message: Pick<MessageFields, "status" | "incompleteReason">;
  /** Of the step that says something. */
  readonly step: StepFields["status"];
  /** Of the step that calls functions; it stays open while the client answers. */
  readonly calls: StepFields["status"];
  readonly lastError: StepFields["lastError"];
}

export interface JudgedTurn {
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

/** What an answer makes of its run. */
export function resolveTurn({ finish, calls }: ReadTurn): JudgedTurn {
  // Calls that were cut short cannot be made, so this comes before them.
  if (finish === "length") {
    return {
      command: { kind: "run_out" },
      fields: { incompleteReason: "max_completion_tokens" },
      end: { ...COMPLETE, message: { status: "incomplete", incompleteReason: "max_tokens" }, calls: "failed" },
    };
  }
  // The contract gives a run no reason of its own for this: it has failed as with a gateway that answers 400.
  if (finish === "content_filter") return failTurn(FILTERED, "content_filter");
  if (calls.length > 0) return { command: { kind: "require_action" }, fields: {}, end: COMPLETE };
  return { command: { kind: "complete" }, fields: {}, end: COMPLETE };
}

/** What a failure makes of a run, and of what was said before it. */
export function failTurn(
  { code, message }: TurnFailure,
  incompleteReason: MessageFields["incompleteReason"],
): JudgedTurn {
  const lastError = { code, message };
  return {
    command: { kind: "fail" },
    fields: { lastError },
    end: { message: { status: "incomplete", incompleteReason }, step: "failed", calls: "failed", lastError },
  };
}

/** How what was said ends when the run was cancelled meanwhile. */
export const CANCELLED: TurnEnd = {
  message: { status: "incomplete", incompleteReason: "run_cancelled" },
  step: "cancelled",
  calls: "cancelled",
  lastError: null,
};
