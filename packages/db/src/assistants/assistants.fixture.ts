import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import { plainRun } from "@tollgate/domain/assistants/records.fixture.ts";
import type { Message, MessageFields, Run, Step, StepFields } from "@tollgate/domain/assistants/records.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import type { Database } from "../connect.ts";
import { runForOwner } from "../tenancy.ts";
import type { Access } from "./access.ts";
import { createRun } from "./create-run.ts";
import type { Sealer } from "./sealed-record.ts";
import { insertThread } from "./threads.ts";

/**
 * A sealer that doesn't encrypt. Like the real sealer, it opens text only for the purpose for which the text was
 * sealed.
 */
export const sealer: Sealer = {
  seal: (text, purpose) => `${purpose}\n${text}`,
  open: (sealed, purpose) => {
    if (!sealed.startsWith(`${purpose}\n`)) throw new Error("sealed for something else");
    return sealed.slice(purpose.length + 1);
  },
};

export interface RunStage {
  readonly gateway: Database;
  readonly worker: Database;
  readonly platform: Database;
  readonly database: TestDatabase;
  /** Adds a queued run in its own thread. */
  addRun(isStreamed?: boolean, acting?: Pick<typeof ACTING, "keyId" | "organizationId">): Promise<Run>;
  /** Runs work with the access that a gateway has for this owner. */
  act<T>(work: (access: Access) => Promise<T>): Promise<T>;
}

const OWNER = "team:team_a";
/** The key that acts in these tests, and its organization. */
export const ACTING = { keyId: "key_a", organizationId: "org_a" };
export const QUEUE_LIMITS = { perKey: 100_000, perOrganization: 100_000 };
/** Fields of a submission of tool outputs. */
export const SUBMITTED = { acting: ACTING, queueLimits: QUEUE_LIMITS };

/** A test with gateway and worker connections, and with queued runs. */
export const test = base.extend("stage", ({ database }): RunStage => {
  const gateway = database.connect("tollgate_gateway");
  const act: RunStage["act"] = (work) =>
    runForOwner(gateway, { owner: OWNER, isAdministrator: false }, (transaction) =>
      work({ transaction, sealer, owner: OWNER, storage: { ...ACTING, limits: null } }),
    );
  return {
    gateway,
    worker: database.connect("tollgate_worker"),
    platform: database.connect("tollgate_platform"),
    database,
    act,
    addRun: (isStreamed = false, acting = ACTING) =>
      act(async (unowned) => {
        const access = { ...unowned, storage: { ...acting, limits: null } };
        const { thread } = await insertThread(access, OWNER, acting.organizationId, {
          metadata: {},
          tool_resources: null,
        });
        const wanted = { assistantId: makeRecordId("asst"), fields: plainRun, isStreamed };
        const created = await createRun(access, thread.id, {
          ...acting,
          queueLimits: QUEUE_LIMITS,
          ...wanted,
          messages: [userMessage("Hello")],
        });
        if (created.kind !== "created") throw new Error(`the run was not created: ${created.kind}`);
        return created.run;
      }),
  };
});

export function userMessage(text: string): MessageFields {
  return {
    role: "user",
    content: [{ type: "text", text: { value: text, annotations: [] } }],
    status: "completed",
    incompleteReason: null,
    endedAtMs: 0,
    assistantId: null,
    attachments: null,
    metadata: {},
  };
}

export function answerOf(run: Run, text: string, status: MessageFields["status"] = "completed"): Message {
  const fields: MessageFields = { ...userMessage(text), role: "assistant", assistantId: run.assistantId, status };
  return { id: makeRecordId("msg"), createdAtMs: Date.now(), threadId: run.threadId, runId: run.id, fields };
}

export function stepOf(run: Run, details: StepFields["details"], status: StepFields["status"] = "completed"): Step {
  const { id: runId, threadId, assistantId } = run;
  const fields: StepFields = { status, details, lastError: null, endedAtMs: null, usage: null };
  return { id: makeRecordId("step"), createdAtMs: Date.now(), runId, threadId, assistantId, fields };
}
