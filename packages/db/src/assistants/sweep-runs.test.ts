import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import type { Run } from "@tollgate/domain/assistants/records.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { expect } from "vitest";
import { answerOf, type RunStage, sealer, stepOf, test } from "./assistants.fixture.ts";
import { deleteOldThreads } from "./delete-old-threads.ts";
import { findMessage } from "./messages.ts";
import type { Lease } from "./run-lease.ts";
import { appendEvents, claimRun, startTurn, storeWork } from "./run-work.ts";
import { findRun } from "./runs.ts";
import { readSteps } from "./steps.ts";
import { hasRunsToSweep, sweepRuns } from "./sweep-runs.ts";
import { settleTurns } from "./turns.ts";

const NOTHING = { requeued: 0, failed: 0, expired: 0, cancelled: 0 };

/** Sweeps as a worker does, which first asks whether there is anything to do. */
async function sweep(stage: RunStage) {
  return (await hasRunsToSweep(stage.worker)) ? sweepRuns(stage.worker, sealer) : NOTHING;
}

test("requeues an unresponsive worker's run once; the second time, the run and its open records fail", async ({
  stage,
}) => {
  const run = await stage.addRun();
  const first = await take(stage, run);
  expect(await sweep(stage)).toEqual(NOTHING);
  await silence(stage, run);
  expect(await sweep(stage)).toEqual({ ...NOTHING, requeued: 1 });
  expect(await stateOf(stage, run)).toMatchObject({ status: "queued", takeovers: 1 });
  expect(await storeWork(stage.worker, sealer, first, { command: { kind: "complete" } })).toBeNull();

  const second = await take(stage, run);
  const message = answerOf(run, "Hal", "in_progress");
  const step = stepOf(run, { type: "message_creation", messageId: message.id }, "in_progress");
  await storeWork(stage.worker, sealer, second, { messages: [message], steps: [step] });
  await silence(stage, run);
  expect(await sweep(stage)).toEqual({ ...NOTHING, failed: 1 });
  await stage.act(async (access) => {
    const failed = await findRun(access, run.threadId, run.id);
    expect(failed).toMatchObject({ state: { status: "failed" }, fields: { lastError: { code: "server_error" } } });
    const stored = await findMessage(access, run.threadId, message.id);
    expect(stored?.fields).toMatchObject({ status: "incomplete", incompleteReason: "run_failed" });
    expect(await readSteps(access, run)).toMatchObject([
      { fields: { status: "failed", lastError: { code: "server_error" } } },
    ]);
  });
});

test("expires a run past its deadline, in any state", async ({ stage }) => {
  const [waiting, working] = [await stage.addRun(), await stage.addRun()];
  const lease = await take(stage, working);
  for (const run of [waiting, working]) await update(stage, run, "expires_at = now()");
  expect(await sweep(stage)).toEqual({ ...NOTHING, expired: 2 });
  expect(await stateOf(stage, waiting)).toMatchObject({ status: "expired", expiresAtMs: null });
  const expired = await stage.act((access) => findRun(access, working.threadId, working.id));
  expect(expired?.fields.lastError).toBeNull();
  expect(await storeWork(stage.worker, sealer, lease, { command: { kind: "complete" } })).toBeNull();
});

test("ends a canceled run whose worker is unresponsive or does not stop in time", async ({ stage }) => {
  const [silent, deaf] = [await stage.addRun(), await stage.addRun()];
  for (const run of [silent, deaf]) {
    await take(stage, run);
    await update(stage, run, "status = 'cancelling', cancel_by = now() + interval '1 minute'");
  }
  await silence(stage, silent);
  await update(stage, deaf, "cancel_by = now()");
  expect(await sweep(stage)).toEqual({ ...NOTHING, cancelled: 2 });
});

test("adds the ledger usage and cost of a lost call to the run, before and after the run ends", async ({ stage }) => {
  const run = await stage.addRun();
  const [first, second] = [makeRecordId("call"), makeRecordId("call")];
  const lease = await take(stage, run);
  await startTurn(stage.worker, sealer, lease, { number: 1, attempt: 1, label: first });
  await startTurn(stage.worker, sealer, lease, { number: 1, attempt: 2, label: second });
  expect(await settleTurns(stage.worker, run.id)).toBe(1);
  await book(stage, first, 7, 2, 300);
  expect(await settleTurns(stage.worker, run.id)).toBe(0);
  const turn = { label: second, state: "lost", usage: null } as const;
  const ended = await storeWork(stage.worker, sealer, lease, { turn, command: { kind: "fail" } });
  expect(ended?.usage).toEqual({ promptTokens: 7, completionTokens: 2, cost: null });

  await book(stage, second, 100, 30, 1_007);
  await sweep(stage);
  await sweep(stage);
  const settled = await stage.act((access) => findRun(access, run.threadId, run.id));
  expect(settled?.usage).toEqual({ promptTokens: 107, completionTokens: 32, cost: 1_307n });
});

test("a lost call is settled once the model's row is in the ledger, at the cost of the request's guardrails too", async ({
  stage,
}) => {
  const run = await stage.addRun();
  const label = makeRecordId("call");
  const lease = await take(stage, run);
  await startTurn(stage.worker, sealer, lease, { number: 1, attempt: 1, label });
  const turn = { label, state: "lost", usage: null } as const;
  await storeWork(stage.worker, sealer, lease, { turn, command: { kind: "fail" } });
  await book(stage, label, 9, 0, 40, "moderations");
  expect(await settleTurns(stage.worker, run.id)).toBe(1);
  // A client can give its own requests any ID.
  await book(stage, label, 50, 50, 5_000, "chat.completions");
  expect(await settleTurns(stage.worker, run.id)).toBe(1);
  await book(stage, label, 100, 30, 1_007);
  expect(await settleTurns(stage.worker, run.id)).toBe(0);
  const settled = await stage.act((access) => findRun(access, run.threadId, run.id));
  expect(settled?.usage).toEqual({ promptTokens: 100, completionTokens: 30, cost: 1_047n });
});

test.for([
  { reported: "usage without a cost", promptTokens: 12, completionTokens: 3 },
  { reported: "no usage", promptTokens: 0, completionTokens: 0 },
])(
  "charges a stored turn whose response reported $reported once the ledger has it, before and after the run ends",
  async ({ promptTokens, completionTokens }, { stage }) => {
    const run = await stage.addRun();
    const [first, second] = [makeRecordId("call"), makeRecordId("call")];
    const lease = await take(stage, run);
    const usage = { promptTokens, completionTokens, cost: null };
    const store = async (label: string, number: number, work = {}) => {
      await startTurn(stage.worker, sealer, lease, { number, attempt: 1, label });
      return storeWork(stage.worker, sealer, lease, { turn: { label, state: "stored", usage }, ...work });
    };
    await store(first, 1);
    expect(await hasRunsToSweep(stage.worker)).toBe(true);
    await book(stage, first, 12, 3, 300);
    await sweep(stage);
    const ended = await store(second, 2, { command: { kind: "complete" } });
    expect(ended?.usage).toEqual({
      promptTokens: 12 + promptTokens,
      completionTokens: 3 + completionTokens,
      cost: null,
    });
    await book(stage, second, 100, 30, 1_007);
    await sweep(stage);
    const settled = await stage.act((access) => findRun(access, run.threadId, run.id));
    expect(settled?.usage).toEqual({ promptTokens: 112, completionTokens: 33, cost: 1_307n });
    expect(await sweep(stage)).toEqual(NOTHING);
  },
);

test("hundreds of one tenant's requests that never reach the ledger do not keep another tenant's cost unknown", async ({
  stage,
}) => {
  const run = await stage.addRun();
  const label = makeRecordId("call");
  const lease = await take(stage, run);
  await startTurn(stage.worker, sealer, lease, { number: 1, attempt: 1, label });
  await storeWork(stage.worker, sealer, lease, {
    turn: { label, state: "lost", usage: null },
    command: { kind: "fail" },
  });
  const other = await stage.addRun(false, { keyId: "key_b", organizationId: "org_b" });
  await querySql(
    stage.database.connectionString,
    `insert into run_turns (run_id, number, attempt, call_label, state, started_at)
     select '${other.id}', n, 1, 'lost_' || n, 'lost', now() + interval '1 second' from generate_series(1, 500) as n`,
  );
  await book(stage, label, 100, 30, 1_007);
  await sweep(stage);
  const settled = await stage.act((access) => findRun(access, run.threadId, run.id));
  expect(settled?.usage).toEqual({ promptTokens: 100, completionTokens: 30, cost: 1_007n });
});

test("deletes threads without recent activity, with all their contents", async ({ stage }) => {
  const [old, recent] = [await stage.addRun(true), await stage.addRun()];
  await appendEvents(stage.worker, sealer, await take(stage, old), "team:team_a", [{ event: "x", data: 1 }]);
  await querySql(
    stage.database.connectionString,
    `update threads set touched_at = now() - interval '31 days' where id = '${old.threadId}'`,
  );
  expect(await deleteOldThreads(stage.worker, 30)).toBe(1);
  expect(await stage.act((access) => findRun(access, old.threadId, old.id))).toBeNull();
  expect(await stage.act((access) => findRun(access, recent.threadId, recent.id))).not.toBeNull();
  for (const table of ["thread_messages", "run_events"]) {
    const rows = `select * from ${table} where run_id = '${old.id}'`;
    expect(await querySql(stage.database.connectionString, rows)).toEqual([]);
  }
});

async function take(stage: RunStage, run: Run): Promise<Lease> {
  const taking = await claimRun(stage.worker, sealer, run.id);
  if (taking?.kind !== "taken") throw new Error("the run was not to be taken");
  return taking.lease;
}

/** Expires the run's lease, as if its worker had stopped renewing it. */
function silence(stage: RunStage, run: Run): Promise<unknown> {
  return update(stage, run, "leased_until = now() - interval '1 second'");
}

function update(stage: RunStage, run: Run, change: string): Promise<unknown> {
  return querySql(stage.database.connectionString, `update thread_runs set ${change} where id = '${run.id}'`);
}

async function stateOf(stage: RunStage, run: Run): Promise<Run["state"] | undefined> {
  return (await stage.act((access) => findRun(access, run.threadId, run.id)))?.state;
}

/** Inserts a usage event with some cached prompt tokens. */
async function book(
  stage: RunStage,
  label: string,
  prompt: number,
  completion: number,
  cost: number,
  endpoint = "assistants.run",
): Promise<void> {
  const id = `'${makeUuidV7(Date.now())}'::uuid`;
  await querySql(
    stage.database.connectionString,
    `insert into usage_events (id, day, organization_id, key_id, request_id, endpoint, model_group, is_stream, status,
       http_status, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, usage_source, cost,
       is_billed, hold, from_lease, node_id, epoch, latency_ms, ended_at)
     values (${id}, day_of_event(${id}), 'org_a', 'key_a', '${label}', '${endpoint}', 'sim/echo', false, 'success', 200,
       ${prompt - 1}, 1, 0, ${completion}, 0, 'reported', ${cost}, false, 0, 0, 'node', 1, 1, now())`,
  );
}
