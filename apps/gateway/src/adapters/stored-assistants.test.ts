import { claimRun, storeWork } from "@tollgate/db/assistants/run-work.ts";
import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import { plainAssistant, plainRun } from "@tollgate/domain/assistants/records.fixture.ts";
import type { AssistantFields, MessageFields, PageQuery, RunEvent } from "@tollgate/domain/assistants/records.ts";
import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import fc from "fast-check";
import { expect } from "vitest";
import type { CreatedRun, NewRun, OwnerContext } from "../assistants/assistant-store.ts";
import { StorageTurns } from "./storage-turns.ts";
import { createStoredAssistants, type StoredAssistants } from "./stored-assistants.ts";

const sealer = createSecretBox([new Secret("a secret key for tests, which is long enough")]);
const NAMES = { organizationName: "Acme", keyName: "test" };
const OWN: OwnerContext = {
  ...NAMES,
  owner: "team:own",
  isAdministrator: false,
  organizationId: "org_own",
  keyId: "key_own",
};
const FOREIGN: OwnerContext = {
  ...NAMES,
  owner: "team:foreign",
  isAdministrator: false,
  organizationId: null,
  keyId: "key_foreign",
};
const ADMINISTRATOR: OwnerContext = {
  ...NAMES,
  owner: "key:master",
  isAdministrator: true,
  organizationId: null,
  keyId: "master",
};
const queueLimits = { perKey: 1_000, perOrganization: 1_000 };
const FIRST: PageQuery = { limit: 20, order: "desc" };

const test = base.extend("store", ({ database }, { onCleanup }) => {
  const store = openStore(database);
  onCleanup(() => store.close());
  return store;
});

test("only a resource's owner can read or change it", async ({ store, database }) => {
  const worker = database.connect("tollgate_worker");
  const assistant = await store.createAssistant(OWN, assistantFields("Mine"));
  const thread = await store.createThread(OWN, { metadata: {}, tool_resources: null }, [said("Hello")]);
  const created = await store.createRun(OWN, thread.id, newRun());
  if (created.kind !== "created") throw new Error(created.kind);
  const { run } = created;
  const taking = await claimRun(worker, sealer, run.id);
  if (taking?.kind !== "taken") throw new Error("the run was not to be taken");
  const stepId = makeRecordId("step");
  const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" }, output: null } as const;
  const { id: runId, threadId, assistantId } = run;
  await storeWork(worker, sealer, taking.lease, {
    steps: [
      {
        id: stepId,
        createdAtMs: Date.now(),
        runId,
        threadId,
        assistantId,
        fields: {
          status: "in_progress",
          details: { type: "tool_calls", calls: [call] },
          lastError: null,
          endedAtMs: null,
          usage: null,
        },
      },
    ],
    command: { kind: "require_action" },
    fields: { required: [call] },
    tell: () => [{ event: "thread.run.requires_action", data: null }],
  });
  const listed = await store.listMessages(OWN, threadId, FIRST);
  if (listed === null || listed === "unknown_cursor") throw new Error("the messages are not there");
  const messageId = listed.items[0]?.id ?? "";
  const outputs = [{ toolCallId: "call_1", output: "42" }];

  /** Each operation on existing data, with the result it returns if the data doesn't exist. */
  const operations: readonly (readonly [string, (acting: OwnerContext) => Promise<unknown>, unknown])[] = [
    ["findAssistant", (acting) => store.findAssistant(acting, assistant.id), null],
    ["changeAssistant", (acting) => store.changeAssistant(acting, assistant.id, { name: "Changed" }), null],
    ["listAssistants", (acting) => store.listAssistants(acting, FIRST), { items: [], hasMore: false }],
    [
      "listAssistants after",
      (acting) => store.listAssistants(acting, { ...FIRST, after: assistant.id }),
      "unknown_cursor",
    ],
    ["findThread", (acting) => store.findThread(acting, threadId), null],
    ["changeThread", (acting) => store.changeThread(acting, threadId, { metadata: { a: "b" } }), null],
    ["addMessage", (acting) => store.addMessage(acting, threadId, said("Psst")), { kind: "no_thread" }],
    ["findMessage", (acting) => store.findMessage(acting, threadId, messageId), null],
    ["changeMessage", (acting) => store.changeMessage(acting, threadId, messageId, { a: "b" }), null],
    ["listMessages", (acting) => store.listMessages(acting, threadId, FIRST), null],
    ["createRun", (acting) => store.createRun(acting, threadId, newRun()), { kind: "no_thread" }],
    ["findRun", (acting) => store.findRun(acting, threadId, runId), null],
    ["listRuns", (acting) => store.listRuns(acting, threadId, FIRST), null],
    ["changeRunMetadata", (acting) => store.changeRunMetadata(acting, threadId, runId, { a: "b" }), null],
    ["listSteps", (acting) => store.listSteps(acting, threadId, runId, FIRST), null],
    ["findStep", (acting) => store.findStep(acting, threadId, runId, stepId), null],
    ["lastEventNumber", (acting) => store.lastEventNumber(acting, runId), 0],
    ["follow", (acting) => firstEvents(store.follow(acting, runId, 0, AbortSignal.timeout(patienceOf(acting)))), []],
    [
      "submitOutputs",
      (acting) => store.submitOutputs(acting, threadId, runId, { outputs, isStreamed: false, queueLimits }),
      { kind: "absent" },
    ],
    ["cancelRun", (acting) => store.cancelRun(acting, threadId, runId), { kind: "absent" }],
    ["deleteMessage", (acting) => store.deleteMessage(acting, threadId, messageId), false],
    ["deleteThread", (acting) => store.deleteThread(acting, threadId), false],
    ["deleteAssistant", (acting) => store.deleteAssistant(acting, assistant.id), false],
  ];
  const before = await contents(database.connectionString);
  for (const [name, act, nothing] of operations) expect(await act(FOREIGN), name).toEqual(nothing);
  expect(await contents(database.connectionString)).toEqual(before);
  for (const [name, act, nothing] of operations) {
    if (!name.startsWith("delete")) expect(await act(ADMINISTRATOR), name).not.toEqual(nothing);
  }
  for (const [name, act, nothing] of operations) expect(await act(OWN), name).not.toEqual(nothing);
});

test("stores message content and metadata encrypted", async ({ store, database }) => {
  const fields = { metadata: { place: "cave" }, tool_resources: null };
  const thread = await store.createThread(OWN, fields, [said("the secret of the cave")]);
  expect(await store.findThread(OWN, thread.id)).toEqual(thread);
  const rows = await contents(database.connectionString);
  expect(JSON.stringify(rows)).toContain(thread.id);
  expect(JSON.stringify(rows)).not.toContain("cave");
});

test("messages and runs that an administrator creates in a thread belong to the thread's owner", async ({ store }) => {
  const thread = await store.createThread(OWN, { metadata: {}, tool_resources: null }, []);
  expect(await store.addMessage(ADMINISTRATOR, thread.id, said("From above"))).toMatchObject({ kind: "added" });
  const created = await store.createRun(ADMINISTRATOR, thread.id, newRun());
  if (created.kind !== "created") throw new Error(created.kind);
  expect(await store.findRun(OWN, thread.id, created.run.id)).toMatchObject({ keyId: "master" });
  expect(await store.listMessages(OWN, thread.id, FIRST)).toMatchObject({ items: [{ runId: created.run.id }, {}] });
});

test("creates only one of fifty concurrent runs on a thread, and rejects messages while the run is active", async ({
  store,
  database,
}) => {
  const thread = await store.createThread(OWN, { metadata: {}, tool_resources: null }, []);
  const gateways = [1, 2, 3, 4].map(() => openStore(database));
  // Each of the four gateways has four connections, so sixteen requests run concurrently.
  const created: CreatedRun[] = [];
  let asked = 0;
  const ask = async (gateway: StoredAssistants) => {
    while (asked++ < 50) created.push(await gateway.createRun(OWN, thread.id, newRun()));
  };
  await Promise.all(gateways.flatMap((gateway) => [1, 2, 3, 4].map(() => ask(gateway))));
  await Promise.all(gateways.map((gateway) => gateway.close()));
  const runs = created.flatMap((creation) => (creation.kind === "created" ? [creation.run] : []));
  expect(runs).toHaveLength(1);
  const runId = runs[0]?.id ?? "";
  expect(created.filter(({ kind }) => kind === "busy")).toEqual(Array(49).fill({ kind: "busy", runId }));
  expect(await store.addMessage(OWN, thread.id, said("Wait"))).toEqual({ kind: "busy", runId });
  expect(await store.listMessages(OWN, thread.id, FIRST)).toMatchObject({ items: [{ runId }] });
});

test("rejects messages in a full thread", async ({ store, database }) => {
  const thread = await store.createThread(OWN, { metadata: {}, tool_resources: null }, []);
  const filling = `update threads set message_count = 99999 where id = '${thread.id}'`;
  await querySql(database.connectionString, filling);
  expect(await store.createRun(OWN, thread.id, { ...newRun(), messages: [said("1"), said("2")] })).toEqual({
    kind: "full",
  });
  const last = await store.addMessage(OWN, thread.id, said("The last"));
  if (last.kind !== "added") throw new Error(last.kind);
  expect(await store.addMessage(OWN, thread.id, said("One more"))).toEqual({ kind: "full" });
  expect(await store.deleteMessage(OWN, thread.id, last.message.id)).toBe(true);
  expect(await store.addMessage(OWN, thread.id, said("Room again"))).toMatchObject({ kind: "added" });
  expect(await store.createRun(OWN, thread.id, { ...newRun(), messages: [] })).toMatchObject({ kind: "created" });
});

test("message pages match array slices, from either end and between any two cursors", async ({ store }) => {
  const texts = Array.from({ length: 17 }, (_, index) => `message ${index}`);
  const thread = await store.createThread(OWN, { metadata: {}, tool_resources: null }, texts.slice(0, 12).map(said));
  for (const text of texts.slice(12)) await store.addMessage(OWN, thread.id, said(text));
  const whole = await store.listMessages(OWN, thread.id, { limit: 100, order: "asc" });
  if (whole === null || whole === "unknown_cursor") throw new Error("the messages are not there");
  expect(whole.items.map(textOf)).toEqual(texts);
  const ids = whole.items.map(({ id }) => id);
  const cursor = fc.option(fc.nat(ids.length - 1), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ limit: fc.integer({ min: 1, max: 20 }), isAscending: fc.boolean(), after: cursor, before: cursor }),
      async ({ limit, isAscending, after, before }) => {
        const page = await store.listMessages(OWN, thread.id, {
          limit,
          order: isAscending ? "asc" : "desc",
          ...(after !== undefined && { after: ids[after] as string }),
          ...(before !== undefined && { before: ids[before] as string }),
        });
        if (page === null || page === "unknown_cursor") throw new Error("the page is not there");
        const ordered = isAscending ? ids : ids.toReversed();
        const from = after === undefined ? 0 : ordered.indexOf(ids[after] as string) + 1;
        const to = before === undefined ? ordered.length : ordered.indexOf(ids[before] as string);
        const between = ordered.slice(from, Math.max(from, to));
        // `before` alone returns the page that ends just before the cursor.
        const isBackwards = before !== undefined && after === undefined;
        const expected = isBackwards ? between.slice(-limit) : between.slice(0, limit);
        expect(page.items.map(({ id }) => id)).toEqual(expected);
        expect(page.hasMore).toBe(between.length > limit);
      },
    ),
    { numRuns: 150 },
  );
  const unknown = { ...FIRST, after: makeRecordId("msg") };
  expect(await store.listMessages(OWN, thread.id, unknown)).toBe("unknown_cursor");
});

test("the event stream delivers run events in order and ends with the run", async ({ store, database }) => {
  const worker = database.connect("tollgate_worker");
  const thread = await store.createThread(OWN, { metadata: {}, tool_resources: null }, []);
  const created = await store.createRun(OWN, thread.id, { ...newRun(), isStreamed: true });
  if (created.kind !== "created") throw new Error(created.kind);
  const runId = created.run.id;
  const received = collect(store.follow(OWN, runId, 0, AbortSignal.timeout(60_000)));
  const late = new AbortController();
  const left = collect(store.follow(OWN, runId, 0, late.signal));
  late.abort();
  expect(await left).toEqual([]);
  const taking = await claimRun(worker, sealer, runId);
  if (taking?.kind !== "taken") throw new Error("the run was not to be taken");
  for (let data = 1; data <= 20; data += 1) {
    await storeWork(worker, sealer, taking.lease, { tell: () => [{ event: "delta", data }] });
  }
  const tell = () => [{ event: "thread.run.completed", data: 21 }];
  await storeWork(worker, sealer, taking.lease, { command: { kind: "complete" }, tell });
  const reported = Array.from({ length: 21 }, (_, index) => index + 1);
  expect((await received).map(({ data }) => data)).toEqual(reported);
  expect(await store.lastEventNumber(OWN, runId)).toBe(21);
  // A reader that connects after the run has ended also gets the events, starting after its last position.
  const rest = await collect(store.follow(OWN, runId, 19, AbortSignal.timeout(60_000)));
  expect(rest.map(({ data }) => data)).toEqual([20, 21]);
});

test("writers near a limit of stored bytes occupy one connection, so that other organizations are served", async ({
  database,
}) => {
  const db = database.openPool("tollgate_gateway", 2);
  const ask = (text: string) => querySql(database.connectionString, text);
  const store = createStoredAssistants({
    db,
    sealer,
    // Less than 64 MB, so that each write is near the limit.
    limits: () => ({ ...AMPLE_STORAGE, perOrganization: 60_000_000 }),
    turns: new StorageTurns(undefined, 60_000),
    connectionString: database.connectionString,
    onTrouble: () => {},
  });
  const write = (organizationId: string) =>
    store.createThread({ ...OWN, organizationId }, { metadata: {}, tool_resources: null }, []);
  await write("org_near");
  // A writer on another gateway has its turn in the database.
  const elsewhere = ask(`do $$ begin
    perform pg_advisory_xact_lock(hashtextextended('tollgate stored bytes of org_near', 0));
    while not exists (select from pg_class where relname = 'released') loop perform pg_sleep(0.02); end loop;
  end $$`);
  await expect
    .poll(() =>
      ask(
        "select from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())",
      ),
    )
    .toHaveLength(1);
  const writers = Array.from({ length: 5 }, () => write("org_near"));
  await write("org_other");
  await ask("create table released ()");
  expect(await Promise.all(writers)).toHaveLength(5);
  await elsewhere;
  await store.close();
  await db.destroy();
});

function openStore(database: TestDatabase): StoredAssistants {
  const { connectionString } = database;
  return createStoredAssistants({
    turns: new StorageTurns(),
    db: database.connect("tollgate_gateway"),
    sealer,
    limits: () => AMPLE_STORAGE,
    connectionString,
    onTrouble: () => {},
  });
}

async function collect(batches: AsyncIterable<readonly RunEvent[]>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  return events;
}

/** Returns the first events, or none if the caller is not allowed to see them. */
async function firstEvents(batches: AsyncIterable<readonly RunEvent[]>): Promise<readonly RunEvent[]> {
  for await (const batch of batches) if (batch.length > 0) return batch;
  return [];
}

/** Returns how long a caller waits for events. Another owner waits in vain. */
const patienceOf = (acting: OwnerContext): number => (acting === FOREIGN ? 300 : 60_000);

/** Returns all data that another owner might have changed. */
async function contents(connectionString: string): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (const table of ["assistants", "threads", "thread_messages", "thread_runs", "run_steps", "run_events"]) {
    all.push(await querySql(connectionString, `select * from ${table} order by 1, 2`));
  }
  return all;
}

function said(text: string): MessageFields {
  return {
    role: "user",
    content: [{ type: "text", text: { value: text, annotations: [] } }],
    status: "completed",
    incompleteReason: null,
    endedAtMs: Date.now(),
    assistantId: null,
    attachments: null,
    metadata: {},
  };
}

function textOf({ fields }: { readonly fields: MessageFields }): string {
  const [part] = fields.content;
  return part?.type === "text" ? part.text.value : "";
}

function assistantFields(name: string): AssistantFields {
  return { ...plainAssistant, name };
}

function newRun(): NewRun {
  return {
    assistantId: makeRecordId("asst"),
    fields: plainRun,
    messages: [said("Also")],
    isStreamed: false,
    queueLimits,
  };
}
