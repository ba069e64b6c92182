import { registerNode } from "@tollgate/db/leases/register-node.ts";
import { redrivePricedEvents } from "@tollgate/db/ledger/redrive-priced-events.ts";
import { runAlone } from "@tollgate/db/run-alone.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { connectWorker } from "../ledger.fixture.ts";
import { startWorker } from "../start-worker.ts";
import { Maintenance } from "./maintenance.ts";

const logger = { info: () => {}, warn: () => {}, error: () => {} };

test("a job runs on one worker at a time and is retried when it fails", async ({ database }) => {
  const [first, second] = [connectWorker(database), connectWorker(database)];
  const release = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const held = runAlone(first, "job", async () => {
    entered.resolve();
    await release.promise;
  });
  await entered.promise;
  expect(await runAlone(second, "job", async () => {})).toBe(false);
  expect(await runAlone(second, "another job", async () => {})).toBe(true);
  release.resolve();
  expect(await held).toBe(true);

  let runs = 0;
  const run = async () => {
    runs += 1;
    if (runs === 1) throw new Error("not this time");
  };
  const maintenance = new Maintenance(first, logger, [{ name: "job", everyMs: 10, run }]);
  await waitFor("a second run", () => runs >= 2);
  await maintenance.stop();
  await Promise.all([first.destroy(), second.destroy()]);
});

test("runs more jobs than the pool has connections", async ({ database }) => {
  const db = connectWorker(database);
  const done = new Set<string>();
  const jobs = Array.from({ length: 20 }, (_, index) => ({
    name: `job ${index}`,
    everyMs: 60_000,
    run: async () => {
      await redrivePricedEvents(db);
      done.add(`job ${index}`);
    },
  }));
  const maintenance = new Maintenance(db, logger, jobs);
  await waitFor("every job to run", () => done.size === jobs.length);
  await maintenance.stop();
  await db.destroy();
});

test("a worker without an event log creates partitions, expires unresponsive nodes, reclaims leases, and expires grants", async ({
  database,
}) => {
  const ask = <Row>(text: string) => querySql<Row>(database.connectionString, text);
  const gateway = database.connect("tollgate_gateway");
  const nodeId = makePrefixedId("node", Date.now());
  const { organizationId } = await addTenant(database.connect("tollgate_platform"), { credit: 1_000n });
  const { epoch } = await registerNode(gateway, { nodeId, knownEpoch: 0, host: "test" });
  await ask(
    `insert into credit_leases (organization_id, node_id, epoch, granted) values ('${organizationId}', '${nodeId}', ${epoch}, 400)`,
  );
  await ask(`update organization_quota set leased = 400 where organization_id = '${organizationId}'`);
  await ask(`update gateway_nodes set alive_until = now() - interval '1 minute'`);
  await ask(`insert into grant_lots (id, organization_id, amount, remaining, expires_at)
    select id, organization_id, 1000, 1000, now() - interval '16 minutes' from ledger_transactions where organization_id = '${organizationId}'`);
  const lastDay = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
  const partitionsOf = () =>
    ask<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_events'::regclass",
    );
  const last = (await partitionsOf()).find(({ name }) => name.includes(lastDay))?.name;
  expect(last).toBeDefined();
  await ask(`drop table ${last}`);

  const worker = startWorker({
    connectionString: database.connectionString,
    natsUrl: null,
    reclaimAfterSeconds: 0,
    logger,
  });
  const done = await waitFor("the lease to be reclaimed", async () => {
    const [row] = await ask<{ state: string; leased: string; total_expired: string }>(
      `select state, leased, total_expired from credit_leases join organization_quota using (organization_id)
          where organization_id = '${organizationId}'`,
    );
    const hasPartition = (await partitionsOf()).some(({ name }) => name === last);
    return row?.state === "reclaimed" && row.total_expired === "1000" && hasPartition ? row : null;
  });
  expect(done.leased).toBe("0");
  await worker.stop();
});
