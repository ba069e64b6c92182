import type { MessageEnd, Run, RunFields, StepFields } from "@tollgate/domain/assistants/records.ts";
import { changeRun, isOpen, type RunCommand, type RunStatus } from "@tollgate/domain/assistants/run-machine.ts";
import type { Updateable } from "kysely";
import type { ThreadRunsTable } from "../tables.generated.ts";
import type { Access } from "./access.ts";
import { rewriteMessage } from "./messages.ts";
import { toMessage } from "./open-rows.ts";
import { type LockedRun, saveRun } from "./runs.ts";
import { readSteps, rewriteStep } from "./steps.ts";
import { sumTurns } from "./turns.ts";

export interface CommandedRun {
  readonly kind: "changed" | "same" | "refused";
  readonly run: Run;
}

/**
 * Applies a command to a locked run and stores the result. A run that ends closes its open messages and steps and
 * records its usage. An overdue run expires, regardless of the command.
 */
export async function commandRun(
  access: Access,
  locked: LockedRun,
  command: RunCommand,
  { fields = {}, columns = {} }: { fields?: Partial<RunFields>; columns?: Updateable<ThreadRunsTable> } = {},
): Promise<CommandedRun> {
  const { state } = locked.run;
  const overdue = changeRun(state, { kind: "tick" }, locked.nowMs);
  const change = overdue.kind === "changed" ? overdue : changeRun(state, command, locked.nowMs);
  if (change.kind !== "changed") return { kind: change.kind, run: locked.run };
  const isLate = overdue.kind === "changed" && command.kind !== "tick";
  const after = change.run;
  if (isOpen(after.status)) {
    return { kind: "changed", run: await saveRun(access, locked, { state: after, fields, columns }) };
  }
  const merged = { ...locked.run.fields, ...fields };
  if (after.status !== "completed") await closeLeftovers(access, locked, after.status, merged.lastError);
  const usage = await sumTurns(access.transaction, locked.run.id);
  const run = await saveRun(access, locked, { state: after, fields, columns: { ...usage, leased_until: null } });
  return { kind: isLate ? "refused" : "changed", run };
}

const MESSAGE_ENDS: Partial<Record<RunStatus, MessageEnd>> = {
  cancelled: "run_cancelled",
  expired: "run_expired",
  failed: "run_failed",
  incomplete: "max_tokens",
};

/** Ends unfinished messages and steps together with their run, and records the reason. */
async function closeLeftovers(
  access: Access,
  { run, nowMs }: LockedRun,
  status: RunStatus,
  lastError: RunFields["lastError"],
): Promise<void> {
  const rows = await access.transaction
    .selectFrom("thread_messages")
    .selectAll()
    .where("run_id", "=", run.id)
    .execute();
  for (const message of rows.map((row) => toMessage(access.sealer, row))) {
    if (message.fields.status !== "in_progress") continue;
    const ended = { status: "incomplete", incompleteReason: MESSAGE_ENDS[status] ?? null, endedAtMs: nowMs } as const;
    await rewriteMessage(access, { id: message.id, fields: { ...message.fields, ...ended } });
  }
  for (const step of await readSteps(access, run)) {
    if (step.fields.status !== "in_progress") continue;
    const ended: Partial<StepFields> = {
      status: status === "cancelled" || status === "expired" ? status : "failed",
      endedAtMs: nowMs,
      lastError: status === "failed" ? lastError : null,
    };
    await rewriteStep(access, { id: step.id, fields: { ...step.fields, ...ended } });
  }
}
