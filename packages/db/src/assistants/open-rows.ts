import type { Assistant, Message, Run, Step, Thread } from "@tollgate/domain/assistants/records.ts";
import type { RunState } from "@tollgate/domain/assistants/run-machine.ts";
import type { Selectable } from "kysely";
import type {
  AssistantsTable,
  RunStepsTable,
  ThreadMessagesTable,
  ThreadRunsTable,
  ThreadsTable,
} from "../tables.generated.ts";
import { openRecord, type Sealer } from "./sealed-record.ts";

export type AssistantRow = Selectable<AssistantsTable>;
export type ThreadRow = Selectable<ThreadsTable>;
export type MessageRow = Selectable<ThreadMessagesTable>;
export type RunRow = Selectable<ThreadRunsTable>;
export type StepRow = Selectable<RunStepsTable>;

export function toAssistant(sealer: Sealer, row: AssistantRow): Assistant {
  return { id: row.id, createdAtMs: row.created_at.getTime(), fields: openRecord(sealer, row.id, row.record) };
}

export function toThread(sealer: Sealer, row: ThreadRow): Thread {
  return { id: row.id, createdAtMs: row.created_at.getTime(), fields: openRecord(sealer, row.id, row.record) };
}

export function toMessage(sealer: Sealer, row: MessageRow): Message {
  return {
    id: row.id,
    createdAtMs: row.created_at.getTime(),
    threadId: row.thread_id,
    runId: row.run_id,
    fields: openRecord(sealer, row.id, row.record),
  };
}

export function toRun(sealer: Sealer, row: RunRow): Run {
  return {
    id: row.id,
    createdAtMs: row.created_at.getTime(),
    threadId: row.thread_id,
    assistantId: row.assistant_id,
    keyId: row.key_id,
    organizationId: row.organization_id,
    state: toRunState(row),
    usage:
      row.ended_at === null
        ? null
        : {
            promptTokens: Number(row.prompt_tokens ?? 0n),
            completionTokens: Number(row.completion_tokens ?? 0n),
            cost: row.cost,
          },
    fields: openRecord(sealer, row.id, row.record),
  };
}

/** Converts a step row. The assistant ID comes from the run because steps don't store it. */
export function toStep(sealer: Sealer, row: StepRow, assistantId: string): Step {
  return {
    id: row.id,
    createdAtMs: row.created_at.getTime(),
    runId: row.run_id,
    threadId: row.thread_id,
    assistantId,
    fields: openRecord(sealer, row.id, row.record),
  };
}

function toRunState(row: RunRow): RunState {
  return {
    status: row.status,
    createdAtMs: row.created_at.getTime(),
    startedAtMs: row.started_at?.getTime() ?? null,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    endedAtMs: row.ended_at?.getTime() ?? null,
    cancelByMs: row.cancel_by?.getTime() ?? null,
    takeovers: row.takeovers,
  };
}
