import { Failure } from "@tollgate/contracts/failures.ts";
import type { Run } from "@tollgate/domain/assistants/records.ts";
import type { Caller } from "../call/caller.ts";
import type { ChangedRun, CreatedRun, FullQueue, SubmittedRun } from "./assistant-store.ts";
import { absent } from "./known-id.ts";

/** Returns the created run, or throws the reason why it wasn't created. */
export function createdRun(created: CreatedRun, threadId: string, caller: Caller): Run {
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
    case "queue_full":
      throw queueFull(created.queue, caller);
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
export function submittedRun(changed: SubmittedRun, id: string, caller: Caller): Run {
  switch (changed.kind) {
    case "changed":
      return changed.run;
    case "absent":
      throw absent("run", id);
    case "refused":
      throw new Failure("invalid_request", `Runs in status "${changed.run.state.status}" do not accept tool outputs.`);
    case "queue_full":
      throw queueFull(changed.queue, caller);
    case "other_calls":
      throw new Failure("invalid_request", wordCalls(changed.missing, changed.unknown), { param: "tool_outputs" });
  }
}

function queueFull({ owner, current, maximum }: FullQueue, caller: Caller): Failure {
  const isKey = owner === "key";
  const ownerName = (isKey ? caller.keyName : caller.organizationName) ?? "";
  const whose = isKey ? `Key '${ownerName}'` : `Organization '${ownerName}'`;
  return new Failure("rate_limit_exceeded", `${whose} has ${current} queued runs, the maximum.`, {
    retryAfterMs: 1_000,
    limit: { kind: "queued_runs", ownerType: owner, ownerName, current, maximum, resetsAt: null },
    fix: "Wait until queued runs have started, or cancel some of them.",
  });
}

function wordCalls(missing: readonly string[], unknown: readonly string[]): string {
  const parts = [
    missing.length > 0 && `Missing outputs for ${missing.join(", ")}. Submit all outputs in one request.`,
    unknown.length > 0 && `The run is not waiting for ${unknown.join(", ")}.`,
  ];
  return parts.filter((part) => part !== false).join(" ");
}
