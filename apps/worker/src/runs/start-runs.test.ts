import type { Run } from "@tollgate/domain/assistants/records.ts";
import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { hang, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { type RunsAtWork, secretKeys, test } from "./runs.fixture.ts";
import { startRuns } from "./start-runs.ts";

const logger = { info: () => {}, warn: () => {}, error: () => {} };

function start({ connectionString }: TestDatabase, { models }: RunsAtWork, drainMs = 5_000) {
  const settings = () =>
    ({ mode: "native", upstream: null, slots: 20, organizationWeights: {}, retentionDays: null }) as const;
  const fast = { drainMs, sweepEveryMs: 50, booksLimitMs: 100 };
  const worker = startRuns({
    connectionString,
    settings,
    storageLimits: () => AMPLE_STORAGE,
    secretKeys,
    models,
    logger,
    ...fast,
  });
  let stopping: Promise<void> | null = null;
  const stop = () => (stopping ??= worker.stop());
  onTestFinished(stop);
  return { stop };
}

test("executes many queued runs concurrently, each exactly once", async ({ runs, upstreams, database }) => {
  upstreams.alpha.replies(200, chatAnswer());
  const worker = start(database, runs);
  const added: Run[] = [];
  for (let left = 8; left > 0; left--) added.push(...(await Promise.all([1, 2, 3, 4].map(() => runs.addRun()))));
  for (const run of added) {
    await waitFor("a run to end", async () => (await runs.run(run)).state.status === "completed");
  }
  await worker.stop();
  expect(upstreams.alpha.requests).toHaveLength(added.length);
  for (const run of added) expect(await runs.messages(run)).toHaveLength(2);
});

test("150 runs of one tenant leave slots of each worker for the runs of others, which start immediately", async ({
  runs,
  upstreams,
  database,
}) => {
  upstreams.alpha.hangs();
  const platform = database.connect("tollgate_platform");
  const [busy, ...others] = [await addTenant(platform), await addTenant(platform), await addTenant(platform)];
  for (let left = 150; left > 0; left -= 10) {
    await Promise.all(Array.from({ length: 10 }, () => runs.addRun({}, { organizationId: busy.organizationId })));
  }
  const workers = [start(database, runs, 1), start(database, runs, 1)];
  // Each of the two workers has 20 slots, and one tenant gets as many as it leaves free.
  await waitFor("the runs of the busy tenant", () => upstreams.alpha.requests.length === 20);
  for (const { organizationId } of others) {
    const run = await runs.addRun({}, { organizationId });
    await waitFor("the run of another tenant", async () => (await runs.run(run)).state.status === "in_progress");
  }
  const { count } = await database
    .connect("tollgate_worker")
    .selectFrom("thread_runs")
    .select((eb) => eb.fn.countAll<bigint>().as("count"))
    .where("status", "=", "in_progress")
    .where("organization_id", "=", busy.organizationId)
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(20);
  await Promise.all(workers.map(({ stop }) => stop()));
  await database.connect("tollgate_worker").deleteFrom("threads").execute();
});

test("every waiting run starts when slots become free", async ({ runs, upstreams, database }) => {
  upstreams.alpha.replies(200, chatAnswer());
  const platform = database.connect("tollgate_platform");
  const [busy] = [await addTenant(platform), await addTenant(platform)];
  const added = await Promise.all(
    Array.from({ length: 40 }, () => runs.addRun({}, { organizationId: busy.organizationId })),
  );
  const worker = start(database, runs);
  for (const run of added) {
    await waitFor("a run to end", async () => (await runs.run(run)).state.status === "completed");
  }
  await worker.stop();
  expect(upstreams.alpha.requests).toHaveLength(added.length);
});

test("a stopping worker releases unfinished runs, and another worker continues them", async ({
  runs,
  upstreams,
  database,
}) => {
  upstreams.alpha.behaves(hang(), reply(200, chatAnswer()));
  const first = start(database, runs, 1);
  const run = await runs.addRun();
  await upstreams.alpha.request(0);
  await first.stop();
  expect((await runs.run(run)).state).toMatchObject({ status: "queued", takeovers: 0 });
  start(database, runs);
  await waitFor("the run to end", async () => (await runs.run(run)).state.status === "completed");
});

test("a run with an expired lease is taken over once and then fails", async ({ runs, upstreams, database }) => {
  upstreams.alpha.hangs();
  const db = database.connect("tollgate_worker");
  const fallSilent = () =>
    db
      .updateTable("thread_runs")
      .set({ leased_until: new Date(0) })
      .execute();
  const run = await runs.addRun();
  const worker = start(database, runs, 1);
  await upstreams.alpha.request(0);
  await fallSilent();
  await upstreams.alpha.request(1);
  expect((await runs.run(run)).state).toMatchObject({ status: "in_progress", takeovers: 1 });
  await fallSilent();
  await waitFor("the run to fail", async () => (await runs.run(run)).state.status === "failed");
  expect((await runs.run(run)).fields.lastError?.code).toBe("server_error");
  expect((await upstreams.alpha.ended(1)).end?.kind).toBe("aborted");
  await worker.stop();
  expect(upstreams.alpha.requests).toHaveLength(2);
});

test("a run expires at its deadline, and its model call is aborted", async ({ runs, database, upstreams }) => {
  upstreams.alpha.hangs();
  const run = await runs.addRun();
  start(database, runs, 1);
  await upstreams.alpha.request(0);
  const db = database.connect("tollgate_worker");
  await db
    .updateTable("thread_runs")
    .set({ expires_at: new Date(0) })
    .where("id", "=", run.id)
    .execute();
  await waitFor("the run to expire", async () => (await runs.run(run)).state.status === "expired");
  expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
});
