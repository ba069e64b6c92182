import { Failure } from "@tollgate/contracts/failures.ts";
import type { Run } from "@tollgate/domain/assistants/records.ts";
import type { ChangedRun, CreatedRun } from "./assistant-store.ts";
import { absent } from "./known-id.ts";

/** Returns the created run, or throws the reason why it wasn't created. */
export function createdRun(created: CreatedRun, threadId: string): Run {
  switch (created.kind) {
    case "created":
      return created.run;
    case "no_thread":
      throw absent("thread", threadId);
    case "busy":
      throw new Failure("invalid_request", `Thread ${threadId} already has an active run ${created.runId}.`, {
        param: "thread_id",
      });
    case "full":
      throw new Failure("invalid_request", `Thread '${threadId}' has reached the maximum number of messages.`, {
        param: "additional_messages",
        fix: "Create a new thread.",
      });
  }
}

/** Returns the run after a cancellation, or throws the reason for the refusal. */
export function cancelledRun(changed: ChangedRun, id: string): Run {
  if (changed.kind === "changed") return changed.run;
  if (changed.kind === "refused") {
    throw new Failure("invalid_request", `Cannot cancel run with status '${changed.run.state.status}'.`);
  }
  throw absent("run", id);
}

/** Returns the run after its tool outputs have been submitted, or throws the reason for the refusal. */
export function submittedRun(changed: ChangedRun, id: string): Run {
  switch (changed.kind) {
    case "changed":
      return changed.run;
    case "absent":
      throw absent("run", id);
    case "refused":
      throw new Failure("invalid_request", `Runs in status "${changed.run.state.status}" do not accept tool outputs.`);
    case "other_calls":
      throw new Failure("invalid_request", wordCalls(changed.missing, changed.unknown), { param: "tool_outputs" });
  }
}

function wordCalls(missing: readonly string[], unknown: readonly string[]): string {
  const parts = [
    missing.length > 0 && `Missing outputs for ${missing.join(", ")}. Submit all outputs in one request.`,
    unknown.length > 0 && `The run is not waiting for ${unknown.join(", ")}.`,
  ];
  return parts.filter((part) => part !== false).join(" ");
}
