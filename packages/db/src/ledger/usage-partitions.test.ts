import { setTimeout as pause } from "node:timers/promises";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../connect.ts";
import { settleUsage } from "./settle-usage.ts";
import { closeDay, dropClosedPartitions, ensureUsagePartitions } from "./usage-partitions.ts";

const DAY_MS = 86_400_000;

test("creates each day's partition once under concurrent requests", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const made = await Promise.all([1, 2, 3].map(() => ensureUsagePartitions(db, dayFromNow(20), dayFromNow(22))));
  expect(made.flat().sort()).toEqual([dayFromNow(20), dayFromNow(21), dayFromNow(22)]);
});

test("waits for a caller that takes long, but only a second for the table", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const worker = database.connect("tollgate_worker");
  const day = dayFromNow(70);
  let created = Promise.resolve<string[]>([]);
  await worker.transaction().execute(async (caller) => {
    await sql`select pg_advisory_xact_lock(7655438)`.execute(caller);
    created = ensureUsagePartitions(db, day, day);
    await pause(1_500);
  });
  expect(await created).toEqual([day]);

  await worker.transaction().execute(async (user) => {
    await sql`reset role`.execute(user);
    await sql`lock table usage_events in share row exclusive mode`.execute(user);
    await expect(ensureUsagePartitions(db, dayFromNow(71), dayFromNow(71))).rejects.toThrow("lock timeout");
  });
});

test("creates partitions while events are being settled", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000_000n);
  let isOver = false;
  const settling = (async () => {
    let settled = 0;
    while (!isOver || settled === 0) settled += (await settleUsage(worker, [makeUsageEvent(tenant, 1n)])).size;
    return settled;
  })();
  expect(await ensureUsagePartitions(worker, dayFromNow(40), dayFromNow(60))).toHaveLength(21);
  isOver = true;
  expect(await settling).toBeGreaterThan(0);
});

test("stores an event under the day in its ID, and leaves a far-future event in the default partition", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  await ensureUsagePartitions(worker, dayFromNow(15), dayFromNow(15));
  const far = makeUsageEvent(tenant, 1n, { id: makeUuidV7(Date.now() + 30 * DAY_MS) });
  const near = makeUsageEvent(tenant, 1n, { id: makeUuidV7(Date.now() + 15 * DAY_MS) });
  await settleUsage(worker, [far, near]);
  expect(await findPartition(worker, near.id)).toBe(`usage_events_${dayOf(near.id).replaceAll("-", "")}`);
  expect(await findPartition(worker, far.id)).toBe("usage_events_other");
  expect(await ensureUsagePartitions(worker, dayOf(far.id), dayOf(far.id))).toEqual([]);
  expect((await settleUsage(worker, [far])).get(far.id)).toBe("known");
});

test("closes a day that matches its rollups, drops it after retention, and parks late events", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const [first, second] = [dayFromNow(-400), dayFromNow(-399)];
  await ensureUsagePartitions(worker, first, second);
  const events = [first, first, second].map((day, place) =>
    makeUsageEvent(tenant, 5n, { id: makeUuidV7(Date.parse(day) + 1), isBilled: place > 0 }),
  );
  expect(new Set((await settleUsage(worker, events)).values())).toEqual(new Set(["settled"]));
  await expect(closeDay(worker, dayFromNow(0))).rejects.toThrow("is not over");

  expect(await closeDay(worker, first)).toBe("sealed");
  expect(await closeDay(worker, first)).toBe("known");
  const { rows } = await sql`
    select events, cost, billed from usage_day_seals where day = ${first}::date and organization_id = ${tenant.organizationId}`.execute(
    worker,
  );
  expect(rows).toEqual([{ events: 2n, cost: 10n, billed: 5n }]);
  const late = makeUsageEvent(tenant, 5n, { id: makeUuidV7(Date.parse(first) + 2) });
  expect((await settleUsage(worker, [late])).get(late.id)).toBe("parked");

  expect(await dropClosedPartitions(worker, 500)).toEqual([]);
  expect(await dropClosedPartitions(worker, 300)).toEqual([first]);
  // The next day is the only other day old enough to be dropped, and it is not closed.
  expect(await dropClosedPartitions(worker, 300)).toEqual([]);
  const again = await settleUsage(worker, events);
  expect(events.map((event) => again.get(event.id))).toEqual(["parked", "parked", "known"]);
});

test("does not close a day that differs from its rollups", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const day = dayFromNow(-3);
  await ensureUsagePartitions(worker, day, day);
  await settleUsage(worker, [makeUsageEvent(tenant, 5n, { id: makeUuidV7(Date.parse(day)) })]);
  await querySql(database.connectionString, "update usage_rollups set cost = cost + 1");
  expect(await closeDay(worker, day)).toBe("unequal");
  const { rows } = await sql`select from usage_day_seals where day = ${day}::date`.execute(worker);
  expect(rows).toEqual([]);
});

test("closing a day waits for events being settled", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const day = dayFromNow(-2);
  await ensureUsagePartitions(worker, day, day);
  let sealing = Promise.resolve("");
  await worker.transaction().execute(async (transaction) => {
    await settleUsage(transaction, [makeUsageEvent(tenant, 5n, { id: makeUuidV7(Date.parse(day)) })]);
    sealing = closeDay(worker, day);
    await expect
      .poll(async () => (await sql`select from pg_locks where not granted`.execute(worker)).rows.length)
      .toBe(1);
  });
  expect(await sealing).toBe("sealed");
  const { rows } = await sql`
    select events from usage_day_seals where day = ${day}::date and organization_id = ${tenant.organizationId}`.execute(
    worker,
  );
  expect(rows).toEqual([{ events: 1n }]);
});

function dayFromNow(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

function dayOf(id: string): string {
  return new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toISOString().slice(0, 10);
}

async function findPartition(db: Database, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select tableoid::regclass::text as name from usage_events where id = ${id}::uuid`.execute(db);
  return rows[0]?.name;
}
