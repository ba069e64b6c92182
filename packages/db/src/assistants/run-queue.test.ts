import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { insertOrganization } from "@tollgate/testkit/insert-organization.ts";
import { sql } from "kysely";
import { Client } from "pg";
import { beforeEach, expect, onTestFinished } from "vitest";
import { runAsAdministrator } from "../tenancy.ts";
import { type RunStage, sealer, test } from "./assistants.fixture.ts";
import { chooseRun, type RunSlots } from "./run-queue.ts";
import { claimRun, storeWork } from "./run-work.ts";
import { cancelRun } from "./submit-outputs.ts";

/** Organizations of one test, in the order of their IDs. */
let [ORG_A, ORG_B, ORG_C] = ["", "", ""];
let tests = 0;

/** The tests share a database, and each one starts with an empty queue and without other organizations. */
beforeEach<{ database: TestDatabase }>(async ({ database }) => {
  tests += 1;
  [ORG_A, ORG_B, ORG_C] = ["A", "B", "C"].map((letter) => `org_${String(tests).padStart(25, "0")}${letter}`) as [
    string,
    string,
    string,
  ];
  await querySql(database.connectionString, "delete from threads");
  await runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    transaction.updateTable("organizations").set({ status: "closed" }).execute(),
  );
});

const WORKER = { workerId: "worker_a", slots: 8, served: "", weights: {} } as const;

/** Adds the organizations, so that slots are shared. */
async function addOrganizations({ database }: RunStage, ids: readonly string[]): Promise<void> {
  await runAsAdministrator(database.connect("tollgate_platform"), async (transaction) => {
    for (const id of ids) await insertOrganization(transaction, { id, name: id });
  });
}

async function addRuns(stage: RunStage, organizationId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await stage.addRun(false, { keyId: "key_a", organizationId });
}

/** Chooses runs until the worker may start no other one. Returns their tenants, in order. */
async function chooseAll(stage: RunStage, slots: RunSlots): Promise<readonly string[]> {
  const tenants: string[] = [];
  for (;;) {
    const chosen = await chooseRun(stage.worker, { ...slots, served: tenants.at(-1) ?? slots.served });
    if (chosen === null) return tenants;
    tenants.push(chosen.tenant);
    await claimRun(stage.worker, sealer, chosen.runId);
  }
}

function countOf(tenants: readonly string[], tenant: string): number {
  return tenants.filter((other) => other === tenant).length;
}

test("a tenant gets as many slots of a worker as it leaves free, and the next tenants share the rest", async ({
  stage,
}) => {
  await addOrganizations(stage, [ORG_A, ORG_B, ORG_C]);
  await addRuns(stage, ORG_A, 12);
  expect(await chooseAll(stage, WORKER)).toEqual(Array(4).fill(ORG_A));
  await addRuns(stage, ORG_B, 12);
  expect(await chooseAll(stage, WORKER)).toEqual([ORG_B, ORG_B]);
  await addRuns(stage, ORG_C, 12);
  expect(await chooseAll(stage, WORKER)).toEqual([ORG_C]);
  // Another worker decides by its own slots.
  const other = await chooseAll(stage, { ...WORKER, workerId: "worker_b", slots: 9 });
  for (const tenant of [ORG_A, ORG_B, ORG_C]) expect([2, 3]).toContain(countOf(other, tenant));
});

test("tenants take turns, and each tenant's runs start in the order in which they were queued", async ({ stage }) => {
  await addOrganizations(stage, [ORG_A, ORG_B]);
  await addRuns(stage, ORG_B, 2);
  await addRuns(stage, ORG_A, 2);
  const chosen = [];
  let served = "";
  for (let count = 0; count < 4; count += 1) {
    const next = await chooseRun(stage.worker, { ...WORKER, slots: 100, served });
    served = next?.tenant ?? "";
    chosen.push(next);
  }
  expect(chosen.map((next) => next?.tenant)).toEqual([ORG_A, ORG_B, ORG_A, ORG_B]);
  const queued = await querySql<{ id: string }>(
    stage.database.connectionString,
    "select id from thread_runs order by organization_id, queued_at",
  );
  expect([chosen[0], chosen[2], chosen[1], chosen[3]].map((next) => next?.runId)).toEqual(queued.map(({ id }) => id));
});

test("a weight multiplies a tenant's share", async ({ stage }) => {
  await addOrganizations(stage, [ORG_A, ORG_B]);
  await addRuns(stage, ORG_A, 12);
  const weighted = { ...WORKER, weights: { [ORG_A]: 3 } };
  expect(await chooseAll(stage, weighted)).toEqual(Array(6).fill(ORG_A));
});

test("the only organization gets every slot", async ({ stage }) => {
  await addOrganizations(stage, [ORG_A]);
  await addRuns(stage, ORG_A, 10);
  expect(await chooseAll(stage, WORKER)).toHaveLength(8);
});

test("concurrent choices of several workers never choose a run twice", async ({ stage }) => {
  await addRuns(stage, ORG_A, 20);
  const choices = Array.from({ length: 30 }, (_, place) =>
    chooseRun(stage.worker, { ...WORKER, workerId: `worker_${place % 3}`, slots: 10 }),
  );
  const chosen = (await Promise.all(choices)).flatMap((next) => (next === null ? [] : [next.runId]));
  expect(chosen).toHaveLength(20);
  expect(new Set(chosen).size).toBe(20);
});

test("a run that ends or waits for its client frees the slot, and a requeued run waits again", async ({ stage }) => {
  await addRuns(stage, ORG_A, 2);
  const one = { ...WORKER, slots: 1 };
  const take = async () => {
    const chosen = await chooseRun(stage.worker, one);
    const taken = chosen === null ? null : await claimRun(stage.worker, sealer, chosen.runId);
    return taken?.kind === "taken" ? taken : null;
  };
  const first = await take();
  expect(await take()).toBeNull();
  if (first === null) throw new Error("no run was chosen");
  await storeWork(stage.worker, sealer, first.lease, { command: { kind: "require_action" } });
  const second = await take();
  expect(second?.run.id).not.toBe(first.run.id);
  if (second === null) throw new Error("no second run was chosen");
  await storeWork(stage.worker, sealer, second.lease, { command: { kind: "complete" } });
  const rows = await querySql(stage.database.connectionString, "select * from run_queue");
  expect(rows).toEqual([]);
});

test("the choice of a worker that died is given back", async ({ stage }) => {
  await addRuns(stage, ORG_A, 1);
  const chosen = await chooseRun(stage.worker, WORKER);
  expect(await chooseRun(stage.worker, { ...WORKER, workerId: "worker_b" })).toBeNull();
  await querySql(stage.database.connectionString, "update run_queue set chosen_at = now() - interval '11 seconds'");
  expect(await chooseRun(stage.worker, { ...WORKER, workerId: "worker_b" })).toEqual(chosen);
});

test("a choice does not wait for a worker that is late to claim its run", async ({ stage }) => {
  await addRuns(stage, ORG_A, 2);
  const late = await chooseRun(stage.worker, WORKER);
  await querySql(
    stage.database.connectionString,
    "update run_queue set chosen_at = now() - interval '11 seconds' where chosen_at is not null",
  );
  const claiming = new Client({ connectionString: stage.database.connectionString });
  await claiming.connect();
  onTestFinished(() => claiming.end());
  await claiming.query("begin");
  await claiming.query("update run_queue set chosen_at = null where run_id = $1", [late?.runId]);
  const other = await chooseRun(stage.worker, { ...WORKER, workerId: "worker_b" });
  expect(other).not.toBeNull();
  expect(other?.runId).not.toBe(late?.runId);
  await claiming.query("commit");
});

test("a worker ends a run that was canceled while it waited", async ({ stage }) => {
  const run = await stage.addRun();
  await stage.act((access) => cancelRun(access, run.threadId, run.id));
  const chosen = await chooseRun(stage.worker, WORKER);
  expect(chosen?.runId).toBe(run.id);
  expect(await claimRun(stage.worker, sealer, run.id)).toMatchObject({ kind: "ended" });
  expect(await querySql(stage.database.connectionString, "select * from run_queue")).toEqual([]);
});

test("a choice among 10,000 waiting runs reads only a few rows", async ({ stage }) => {
  await addOrganizations(stage, [ORG_A, ORG_B]);
  const { connectionString } = stage.database;
  const fill = (tenant: string, count: number) => `
    insert into run_queue (run_id, tenant, key_id, queued_at)
      select '${tenant}' || n, '${tenant}', 'key_x', now() + n * interval '1 millisecond' from generate_series(1, ${count}) n`;
  // Rows of the queue without runs, because 10,000 runs take long to insert.
  await querySql(connectionString, "alter table run_queue drop constraint run_queue_run_id_fkey");
  await querySql(connectionString, fill(ORG_A, 10_000));
  await querySql(connectionString, "analyze run_queue");
  for (let count = 0; count < 4; count += 1) expect(await chooseRun(stage.worker, WORKER)).not.toBeNull();
  expect(await chooseRun(stage.worker, WORKER)).toBeNull();
  await querySql(connectionString, fill(ORG_B, 1));
  const plan = await stage.worker.connection().execute(async (connection) => {
    // The first call of a connection also reads the catalog.
    await chooseRun(connection, { ...WORKER, workerId: "worker_b" });
    const { rows } = await sql<{ "QUERY PLAN": string }>`explain (analyze, buffers, costs off, timing off)
      select run, tenant from choose_run('worker_a', 8, ${ORG_A}, '{}'::jsonb)`.execute(connection);
    return rows.map((line) => line["QUERY PLAN"]).join("\n");
  });
  const [, buffers] = /shared hit=(\d+)/.exec(plan) ?? [];
  expect(Number(buffers)).toBeLessThan(100);
  const rows = await querySql(
    connectionString,
    `select tenant from run_queue where worker_id = 'worker_a' order by chosen_at desc limit 1`,
  );
  expect(rows).toEqual([{ tenant: ORG_B }]);
});
