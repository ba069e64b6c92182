import type { Message, Step } from "@tollgate/domain/assistants/records.ts";
import { sql } from "kysely";
import type { Access } from "./access.ts";
import { insertMessages, rewriteMessage } from "./messages.ts";
import type { LeasedRun } from "./run-lease.ts";
import { sealRecord } from "./sealed-record.ts";
import { rewriteStep } from "./steps.ts";

/** Writes a run's messages: updates existing messages and appends new messages to the thread. */
export async function upsertMessages(access: Access, held: LeasedRun, messages: readonly Message[]): Promise<void> {
  const known = await findKnown(access, "thread_messages", messages);
  for (const message of messages) if (known.has(message.id)) await rewriteMessage(access, message);
  await insertMessages(
    access,
    held.thread,
    held.run.id,
    messages.filter(({ id }) => !known.has(id)),
  );
}

/** Writes a run's steps: updates existing steps and appends new steps to the run. */
export async function upsertSteps(access: Access, { row }: LeasedRun, steps: readonly Step[]): Promise<void> {
  const known = await findKnown(access, "run_steps", steps);
  for (const step of steps) {
    if (known.has(step.id)) {
      await rewriteStep(access, step);
      continue;
    }
    await sql`
      insert into run_steps (id, run_id, thread_id, owner, organization_id, key_id, created_at, record)
      select ${step.id}, ${row.id}, ${row.thread_id}, ${row.owner}, ${row.organization_id}, ${access.storage.keyId},
             greatest(${new Date(step.createdAtMs)}::timestamptz, max(created_at) + interval '1 microsecond'),
             ${sealRecord(access.sealer, step.id, step.fields)}
        from run_steps where run_id = ${row.id}`.execute(access.transaction);
  }
}

async function findKnown(
  { transaction }: Access,
  table: "thread_messages" | "run_steps",
  records: readonly { readonly id: string }[],
): Promise<ReadonlySet<string>> {
  if (records.length === 0) return new Set();
  const ids = records.map(({ id }) => id);
  const rows = await transaction.selectFrom(table).select("id").where("id", "in", ids).execute();
  return new Set(rows.map(({ id }) => id));
}
