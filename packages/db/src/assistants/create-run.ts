import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import type { MessageFields, Run, RunFields } from "@tollgate/domain/assistants/records.ts";
import { RUN_LIFE_MS } from "@tollgate/domain/assistants/run-machine.ts";
import { sql } from "kysely";
import type { Access } from "./access.ts";
import { hasCapacity, insertMessages } from "./messages.ts";
import { toRun } from "./open-rows.ts";
import { type FullQueue, findFullQueue, type QueueLimits } from "./queue-limits.ts";
import { findOpenRun } from "./runs.ts";
import { sealRecord } from "./sealed-record.ts";
import { reserveStorage } from "./storage-quota.ts";
import { lockThread } from "./threads.ts";

interface RunToCreate {
  readonly assistantId: string;
  /** Key that the run's calls are charged to, and its organization. */
  readonly keyId: string;
  readonly organizationId: string | null;
  readonly fields: RunFields;
  readonly messages: readonly MessageFields[];
  readonly isStreamed: boolean;
  readonly queueLimits: QueueLimits;
}

type RunCreation =
  | { readonly kind: "created"; readonly run: Run }
  | { readonly kind: "no_thread" }
  | { readonly kind: "busy"; readonly runId: string }
  | { readonly kind: "full" }
  | { readonly kind: "queue_full"; readonly queue: FullQueue };

/** Adds a run and its messages to a thread without an open run, and enqueues a job for a worker. */
export async function createRun(access: Access, threadId: string, wanted: RunToCreate): Promise<RunCreation> {
  const { transaction, sealer } = access;
  const thread = await lockThread(access, threadId);
  if (thread === null) return { kind: "no_thread" };
  const openRun = await findOpenRun(access, threadId);
  if (openRun !== null) return { kind: "busy", runId: openRun };
  if (wanted.messages.length > 0 && !hasCapacity(thread, wanted.messages.length)) return { kind: "full" };
  const queue = await findFullQueue(access, wanted, wanted.queueLimits);
  if (queue !== null) return { kind: "queue_full", queue };
  const id = makeRecordId("run");
  const record = sealRecord(sealer, id, wanted.fields);
  await reserveStorage(access, [record]);
  const row = await transaction
    .insertInto("thread_runs")
    .values({
      id,
      thread_id: threadId,
      owner: thread.owner,
      organization_id: wanted.organizationId,
      key_id: wanted.keyId,
      assistant_id: wanted.assistantId,
      status: "queued",
      expires_at: sql<Date>`clock_timestamp() + ${RUN_LIFE_MS} * interval '1 millisecond'`,
      is_streamed: wanted.isStreamed,
      record,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertMessages(
    access,
    thread,
    id,
    wanted.messages.map((fields) => ({ id: makeRecordId("msg"), fields })),
  );
  await transaction.updateTable("threads").set({ touched_at: sql`now()` }).where("id", "=", threadId).execute();
  await sql`select enqueue_run(${id})`.execute(transaction);
  return { kind: "created", run: toRun(sealer, row) };
}
