import { request } from "node:http";
import type { Access } from "@tollgate/db/assistants/access.ts";
import { QUEUE_LIMITS, userMessage } from "@tollgate/db/assistants/assistants.fixture.ts";
import { createRun } from "@tollgate/db/assistants/create-run.ts";
import { toMessage, toRun, toStep } from "@tollgate/db/assistants/open-rows.ts";
import { readEvents } from "@tollgate/db/assistants/run-events.ts";
import { insertThread } from "@tollgate/db/assistants/threads.ts";
import { runForOwner } from "@tollgate/db/tenancy.ts";
import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import { plainRun } from "@tollgate/domain/assistants/records.fixture.ts";
import type { Message, Run, RunEvent, RunFields, Step } from "@tollgate/domain/assistants/records.ts";
import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { executeRun } from "./execute-run.ts";
import type { ModelCaller } from "./model-caller.ts";
import type { RunContext } from "./run-context.ts";
import { RunLeaseRenewer } from "./run-lease-renewer.ts";

const OWNER = "team:team_a";
export const secretKeys = [new Secret("a secret key of runs in tests, long enough")];
const sealer = createSecretBox(secretKeys);
const LIMITS = { booksLimitMs: 100, storageLimits: () => AMPLE_STORAGE };
const logger = { info: () => {}, warn: () => {}, error: () => {} };

interface NewRun {
  readonly messages?: readonly string[];
  readonly isStreamed?: boolean;
  readonly organizationId?: string;
}

export interface RunsAtWork {
  readonly context: RunContext;
  readonly models: ModelCaller;
  /** Adds a queued run in a new thread with these user messages. */
  addRun(fields?: Partial<RunFields>, options?: NewRun): Promise<Run>;
  execute(run: Run, context?: Partial<RunContext>): Promise<void>;
  act<T>(work: (access: Access) => Promise<T>): Promise<T>;
  run(run: Run): Promise<Run>;
  messages(run: Run): Promise<readonly Message[]>;
  steps(run: Run): Promise<readonly Step[]>;
  events(run: Run): Promise<readonly RunEvent[]>;
  turns(run: Run): Promise<readonly { number: number; attempt: number; state: string; call_label: string }[]>;
}

/** Calls a server at this origin as a worker calls a gateway, but without an internal token. */
function callOver(origin: () => string): ModelCaller {
  return {
    call: ({ keyId, label, body, signal }) =>
      new Promise((resolve, reject) => {
        const headers = { "content-type": "application/json", "x-gw-call-id": label, "x-test-key": keyId };
        const call = request(`${origin()}/v1/chat/completions`, { method: "POST", agent: false, signal, headers });
        call.once("error", reject);
        call.once("response", (response) => {
          const headersOf = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(headersOf), body: response });
        });
        call.end(body);
      }),
  };
}

/** Extends `test` with runs on a real database. `upstreams.alpha` takes the place of the gateway. */
export const test = base.extend("runs", async ({ database, upstreams }, { onCleanup }): Promise<RunsAtWork> => {
  const gateway = database.connect("tollgate_gateway");
  const db = database.connect("tollgate_worker");
  const leases = new RunLeaseRenewer(db, logger);
  onCleanup(() => leases.close());
  const models = callOver(() => upstreams.alpha.origin);
  const context: RunContext = { db, sealer, models, leases, logger, ...LIMITS, onPoint: () => {} };
  const act: RunsAtWork["act"] = (work) =>
    runForOwner(gateway, { owner: OWNER, isAdministrator: false }, (transaction) =>
      work({ transaction, sealer, owner: OWNER, storage: { keyId: "key_a", organizationId: "org_a", limits: null } }),
    );
  return {
    context,
    models,
    act,
    execute: (run, changes = {}) => executeRun({ ...context, ...changes }, run.id),
    addRun: (fields = {}, { messages = ["Hello"], isStreamed = false, organizationId = "org_a" } = {}) =>
      act(async (access) => {
        const { thread } = await insertThread(access, OWNER, organizationId, { metadata: {}, tool_resources: null });
        const wanted = {
          assistantId: makeRecordId("asst"),
          keyId: "key_a",
          organizationId,
          fields: { ...plainRun, ...fields },
        };
        const added = { queueLimits: QUEUE_LIMITS, messages: messages.map(userMessage), isStreamed };
        const created = await createRun(access, thread.id, { ...wanted, ...added });
        if (created.kind !== "created") throw new Error(`the run was not created: ${created.kind}`);
        return created.run;
      }),
    run: async ({ id }) =>
      toRun(sealer, await db.selectFrom("thread_runs").selectAll().where("id", "=", id).executeTakeFirstOrThrow()),
    messages: async ({ threadId }) => {
      const rows = db.selectFrom("thread_messages").selectAll().where("thread_id", "=", threadId);
      return (await rows.orderBy("created_at").orderBy("id").execute()).map((row) => toMessage(sealer, row));
    },
    steps: async ({ id, assistantId }) => {
      const rows = db.selectFrom("run_steps").selectAll().where("run_id", "=", id);
      return (await rows.orderBy("created_at").orderBy("id").execute()).map((row) => toStep(sealer, row, assistantId));
    },
    events: async ({ id }) => {
      const batches = await act((access) => readEvents(access, id, 0));
      return batches.flatMap(({ events }) => events);
    },
    turns: ({ id }) =>
      db
        .selectFrom("run_turns")
        .select(["number", "attempt", "state", "call_label"])
        .where("run_id", "=", id)
        .orderBy("number")
        .orderBy("attempt")
        .execute(),
  };
});

/** Returns the text of a message. */
export function saidBy({ fields }: Message): string {
  return fields.content.map((part) => (part.type === "text" ? part.text.value : "")).join("");
}
