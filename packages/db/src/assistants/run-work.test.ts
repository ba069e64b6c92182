import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import type { Run, ToolCall } from "@tollgate/domain/assistants/records.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { expect } from "vitest";
import { answerOf, type RunStage, SUBMITTED, sealer, stepOf, test } from "./assistants.fixture.ts";
import { findMessage, listMessages } from "./messages.ts";
import { readEvents } from "./run-events.ts";
import { extendLeases, type Lease, readStatuses } from "./run-lease.ts";
import { appendEvents, type ClaimedRun, claimRun, giveBack, readHistory, startTurn, storeWork } from "./run-work.ts";
import { findRun } from "./runs.ts";
import { listSteps, readSteps } from "./steps.ts";
import { cancelRun, submitOutputs } from "./submit-outputs.ts";
import { deleteThread } from "./threads.ts";

const CALLS: readonly ToolCall[] = [
  { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } },
  { id: "call_2", type: "function", function: { name: "time", arguments: "{}" } },
];
const USAGE = { promptTokens: 10, completionTokens: 4, cost: 18n };

test("only one of several concurrent workers claims a waiting run, under a lease", async ({ stage }) => {
  const run = await stage.addRun();
  const takings = await Promise.all([1, 2, 3, 4].map(() => claimRun(stage.worker, sealer, run.id)));
  const taken = takings.filter((taking) => taking !== null);
  expect(taken).toMatchObject([
    { kind: "taken", lease: { runId: run.id, number: 1 }, owner: "team:team_a", steps: [] },
  ]);
  expect((await findIt(stage, run)).state).toMatchObject({ status: "in_progress", takeovers: 0 });
  expect(await claimRun(stage.worker, sealer, makeRecordId("run"))).toBeNull();
});

test("a worker that never learned that it claimed a run gets the same claim again, and no other worker does", async ({
  stage,
}) => {
  const run = await stage.addRun();
  const attempts = new Set<string>();
  const lost = await claimRun(stage.worker, sealer, run.id, attempts);
  expect(await claimRun(stage.worker, sealer, run.id, new Set())).toBeNull();
  const claimed = await claimRun(stage.worker, sealer, run.id, attempts);
  expect(claimed).toMatchObject({ kind: "taken", lease: { runId: run.id, number: 1 }, turns: [], steps: [] });
  expect(claimed).toEqual(lost);
  // After the lease has expired and another worker has claimed the run, the earlier attempts are worthless.
  await giveBack(stage.worker, sealer, (claimed as ClaimedRun).lease);
  expect((await take(stage, run)).lease.number).toBe(2);
  expect(await claimRun(stage.worker, sealer, run.id, attempts)).toBeNull();
});

test("a call that was recorded, but not confirmed, can be recorded again", async ({ stage }) => {
  const run = await stage.addRun();
  const { lease } = await take(stage, run);
  const turn = { number: 1, attempt: 1, label: makeRecordId("call") };
  expect(await startTurn(stage.worker, sealer, lease, turn)).toBe(true);
  expect(await startTurn(stage.worker, sealer, lease, turn)).toBe(true);
  await giveBack(stage.worker, sealer, lease);
  expect((await take(stage, run)).turns).toMatchObject([{ ...turn, state: "lost" }]);
});

test("stores the response, step, turn, usage, and end of a run together, and publishes their events atomically", async ({
  stage,
}) => {
  const run = await stage.addRun(true);
  const { lease, isStreamed } = await take(stage, run);
  expect(isStreamed).toBe(true);
  const label = makeRecordId("call");
  expect(await startTurn(stage.worker, sealer, lease, { number: 1, attempt: 1, label })).toBe(true);
  const message = answerOf(run, "Hi");
  const step = stepOf(run, { type: "message_creation", messageId: message.id });
  const ended = await storeWork(stage.worker, sealer, lease, {
    turn: { label, state: "stored", usage: USAGE },
    messages: [message],
    steps: [step],
    command: { kind: "complete" },
    tell: (after) => [{ event: `thread.run.${after.state.status}`, data: after.usage?.promptTokens ?? null }],
  });
  expect(ended).toMatchObject({ state: { status: "completed", expiresAtMs: null }, usage: USAGE });
  expect(await findIt(stage, run)).toEqual(ended);
  await stage.act(async (access) => {
    expect(await findMessage(access, run.threadId, message.id)).toMatchObject({
      runId: run.id,
      fields: message.fields,
    });
    expect(await listSteps(access, run, { limit: 5, order: "asc" })).toMatchObject({ items: [{ id: step.id }] });
    expect(await readEvents(access, run.id, 0)).toEqual([
      { number: 1, events: [{ event: "thread.run.completed", data: USAGE.promptTokens }] },
    ]);
  });
  const history = await readHistory(stage.worker, sealer, run.threadId, { most: 10, mostBytes: 1_000_000 });
  expect(history.map(({ fields }) => fields.role)).toEqual(["user", "assistant"]);
});

test("a worker whose lease was taken over cannot write anything", async ({ stage }) => {
  const run = await stage.addRun(true);
  const stale = (await take(stage, run)).lease;
  await startTurn(stage.worker, sealer, stale, { number: 1, attempt: 1, label: makeRecordId("call") });
  await giveBack(stage.worker, sealer, stale);
  const current = (await take(stage, run)).lease;
  expect(current.number).toBe(stale.number + 1);
  const before = await everything(stage, run);

  const label = makeRecordId("call");
  expect(await startTurn(stage.worker, sealer, stale, { number: 1, attempt: 2, label })).toBe(false);
  const work = { messages: [answerOf(run, "late")], command: { kind: "complete" } as const };
  expect(await storeWork(stage.worker, sealer, stale, work)).toBeNull();
  expect(await appendEvents(stage.worker, sealer, stale, "team:team_a", [{ event: "x", data: 1 }])).toBe(false);
  await giveBack(stage.worker, sealer, stale);
  expect(await everything(stage, run)).toEqual(before);
  expect(await extendLeases(stage.worker, [stale, current])).toEqual(new Map([[run.id, "in_progress"]]));
  expect(await appendEvents(stage.worker, sealer, current, "team:team_a", [{ event: "x", data: 1 }])).toBe(true);
});

test("releases a run without counting a takeover and removes unfinished work", async ({ stage }) => {
  const run = await stage.addRun();
  const { lease } = await take(stage, run);
  const label = makeRecordId("call");
  await startTurn(stage.worker, sealer, lease, { number: 1, attempt: 1, label });
  const message = answerOf(run, "Hal", "in_progress");
  const step = stepOf(run, { type: "message_creation", messageId: message.id }, "in_progress");
  await storeWork(stage.worker, sealer, lease, { messages: [message], steps: [step] });
  expect(await readHistory(stage.worker, sealer, run.threadId, { most: 10, mostBytes: 1_000_000 })).toHaveLength(1);
  await giveBack(stage.worker, sealer, lease);
  expect((await findIt(stage, run)).state).toMatchObject({ status: "queued", takeovers: 0 });

  const again = await take(stage, run);
  expect(again).toMatchObject({ steps: [], turns: [{ number: 1, attempt: 1, label, state: "lost", usage: null }] });
  const listed = await stage.act((access) => listMessages(access, run.threadId, { limit: 10, order: "asc" }));
  expect(listed).toMatchObject({ items: [{ fields: { role: "user" } }] });
});

test("waits for the outputs of all tool calls together, then continues the run", async ({ stage }) => {
  const run = await waitingRun(stage);
  expect(run.state.status).toBe("requires_action");
  const submit = (ids: readonly string[]) =>
    stage.act((access) => {
      const outputs = ids.map((toolCallId) => ({ toolCallId, output: `of ${toolCallId}` }));
      return submitOutputs(access, run.threadId, run.id, { ...SUBMITTED, outputs, isStreamed: true });
    });
  expect(await submit(["call_1"])).toEqual({ kind: "other_calls", missing: ["call_2"], unknown: [] });
  expect(await submit(["call_1", "call_2", "call_3"])).toEqual({
    kind: "other_calls",
    missing: [],
    unknown: ["call_3"],
  });
  expect(await claimRun(stage.worker, sealer, run.id)).toBeNull();
  expect(await submit(["call_1", "call_2"])).toMatchObject({
    kind: "changed",
    run: { state: { status: "queued" }, fields: { required: null } },
  });
  expect(await submit(["call_1", "call_2"])).toMatchObject({ kind: "refused" });

  const { steps, lease, isStreamed } = await take(stage, run);
  expect([lease.number, isStreamed]).toEqual([2, true]);
  expect(steps).toMatchObject([
    { fields: { status: "completed", details: { calls: [{ output: "of call_1" }, { output: "of call_2" }] } } },
  ]);
});

test("canceling a run that waits for tool outputs ends the run and its step, and reports the run's usage", async ({
  stage,
}) => {
  const run = await waitingRun(stage);
  const cancelled = await stage.act((access) => cancelRun(access, run.threadId, run.id));
  expect(cancelled).toMatchObject({
    kind: "changed",
    run: { state: { status: "cancelled" }, usage: USAGE, fields: { required: null } },
  });
  const steps = await stage.act((access) => readSteps(access, run));
  expect(steps).toMatchObject([{ fields: { status: "cancelled" } }]);
  expect(await stage.act((access) => cancelRun(access, run.threadId, run.id))).toMatchObject({ kind: "refused" });
});

test("canceling a run in progress signals its worker, and the open message records the reason", async ({ stage }) => {
  const run = await stage.addRun();
  const { lease } = await take(stage, run);
  const message = answerOf(run, "Hal", "in_progress");
  await storeWork(stage.worker, sealer, lease, { messages: [message] });
  await stage.act((access) => cancelRun(access, run.threadId, run.id));
  expect(await readStatuses(stage.worker, [lease])).toEqual(new Map([[run.id, "cancelling"]]));
  expect(await claimRun(stage.worker, sealer, run.id)).toBeNull();
  const ended = await storeWork(stage.worker, sealer, lease, { command: { kind: "stop" } });
  expect(ended?.state.status).toBe("cancelled");
  const stored = await stage.act((access) => findMessage(access, run.threadId, message.id));
  expect(stored?.fields).toMatchObject({ status: "incomplete", incompleteReason: "run_cancelled" });
});

test("ends a run canceled while queued as soon as a worker claims it", async ({ stage }) => {
  const run = await stage.addRun();
  await stage.act((access) => cancelRun(access, run.threadId, run.id));
  expect(await claimRun(stage.worker, sealer, run.id)).toMatchObject({
    kind: "ended",
    run: { state: { status: "cancelled" }, usage: { promptTokens: 0, completionTokens: 0 } },
  });
});

test("a response that arrives after a run has expired does not complete the run", async ({ stage }) => {
  const run = await stage.addRun();
  const { lease } = await take(stage, run);
  await querySql(stage.database.connectionString, `update thread_runs set expires_at = now() where id = '${run.id}'`);
  const ended = await storeWork(stage.worker, sealer, lease, { command: { kind: "complete" } });
  expect(ended?.state.status).toBe("expired");
});

test("a thread can be deleted while a worker executes its run, and the worker's writes then have no effect", async ({
  stage,
}) => {
  const runs = await Promise.all(Array.from({ length: 12 }, () => stage.addRun(true)));
  await Promise.all(
    runs.map(async (run) => {
      const { lease } = await take(stage, run);
      const work = () => storeWork(stage.worker, sealer, lease, { messages: [answerOf(run, "Hi")] });
      const deletion = stage.act((access) => deleteThread(access, run.threadId));
      await Promise.all([work(), work(), work()]);
      expect(await deletion).toBe(true);
      expect(await work()).toBeNull();
      expect(await everything(stage, run)).toEqual([[], [], [], [], []]);
    }),
  );
});

async function waitingRun(stage: RunStage): Promise<Run> {
  const run = await stage.addRun();
  const { lease } = await take(stage, run);
  const label = makeRecordId("call");
  await startTurn(stage.worker, sealer, lease, { number: 1, attempt: 1, label });
  const calls = CALLS.map((call) => ({ ...call, output: null }));
  const waiting = await storeWork(stage.worker, sealer, lease, {
    turn: { label, state: "stored", usage: USAGE },
    steps: [stepOf(run, { type: "tool_calls", calls }, "in_progress")],
    command: { kind: "require_action" },
    fields: { required: CALLS },
  });
  if (waiting === null) throw new Error("the lease was lost");
  return waiting;
}

async function take(stage: RunStage, run: Run): Promise<ClaimedRun & { readonly lease: Lease }> {
  const taking = await claimRun(stage.worker, sealer, run.id);
  if (taking?.kind !== "taken") throw new Error("the run was not to be taken");
  return taking;
}

async function findIt(stage: RunStage, run: Run): Promise<Run> {
  const found = await stage.act((access) => findRun(access, run.threadId, run.id));
  if (found === null) throw new Error("the run is gone");
  return found;
}

/** Returns every stored row of a run. */
async function everything(stage: RunStage, run: Run): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (const table of ["thread_messages", "run_steps", "run_turns", "run_events"]) {
    rows.push(await querySql(stage.database.connectionString, `select * from ${table} where run_id = '${run.id}'`));
  }
  return [...rows, await querySql(stage.database.connectionString, `select * from thread_runs where id = '${run.id}'`)];
}
