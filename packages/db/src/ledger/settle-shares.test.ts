import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import type { Tenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, lendCredit, makeUsageEvent, TEST_NODE } from "@tollgate/testkit/usage-events.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../connect.ts";
import { readQuota } from "./read-quota.ts";
import { settleUsage } from "./settle-usage.ts";

test("settles no more than a lease contains, for any order of events", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  await lendCredit(database, tenant, 250n);
  const events = [1, 2, 3, 4].map((place) =>
    makeUsageEvent(tenant, 100n, { id: makeUuidV7(Date.now() + place), fromLease: 100n }),
  );
  await settleUsage(worker, events.slice(0, 1));
  await settleUsage(worker, events.slice(1));
  expect(await readQuota(worker, tenant.organizationId)).toMatchObject({ balance: 600n, leased: 0n });
  const { rows } =
    await sql`select from_lease from usage_events where organization_id = ${tenant.organizationId} order by id`.execute(
      worker,
    );
  expect(rows).toEqual([100n, 100n, 50n, 0n].map((from_lease) => ({ from_lease })));
  expect(await findLease(worker, tenant)).toEqual({ settled: 250n, outstanding: 0n, state: "active" });
});

test("closes a closing lease when its last outstanding event is settled", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  await lendCredit(database, tenant, 200n, "closing");
  await settleUsage(worker, [makeUsageEvent(tenant, 150n, { fromLease: 150n })]);
  expect((await findLease(worker, tenant))?.state).toBe("closing");
  await settleUsage(worker, [makeUsageEvent(tenant, 50n, { fromLease: 50n })]);
  expect((await findLease(worker, tenant))?.state).toBe("closed");
});

test("charges an event from a reclaimed lease to unleased credit", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  await lendCredit(database, tenant, 0n, "reclaimed");
  await settleUsage(worker, [makeUsageEvent(tenant, 150n, { fromLease: 150n })]);
  expect(await readQuota(worker, tenant.organizationId)).toMatchObject({ balance: 850n, leased: 0n });
  expect((await findLease(worker, tenant))?.settled).toBe(0n);
});

test("counts an event in every budget that it belongs to, in the window that contains the event's time", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 10_000n);
  const { organizationId, teamId, keyId } = tenant;
  const hour = 3_600_000;
  const startsAtMs = Math.floor(Date.now() / hour) * hour;
  const windows = [
    ["key", keyId, 0, null],
    ["team", teamId, startsAtMs, startsAtMs + hour],
    ["team", teamId, startsAtMs - hour, startsAtMs],
    ["user", "7", 0, null],
    ["key", "key_OTHER", 0, null],
  ] as const;
  for (const [scope, scopeId, startMs, endMs] of windows) {
    const end = endMs === null ? "'infinity'" : `to_timestamp(${endMs / 1_000})`;
    await querySql(
      database.connectionString,
      `insert into budget_windows (organization_id, scope, scope_id, starts_at, ends_at, amount, leased)
       values ('${organizationId}', '${scope}', '${scopeId}', to_timestamp(${startMs / 1_000}), ${end}, 1000, 500);
       insert into budget_leases (organization_id, scope, scope_id, starts_at, node_id, epoch, granted)
       values ('${organizationId}', '${scope}', '${scopeId}', to_timestamp(${startMs / 1_000}), '${TEST_NODE}', 1, 500)`,
    );
  }
  const share = { scope: "key", scopeId: keyId, startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY } as const;
  const now = startsAtMs + hour - 1;
  await settleUsage(worker, [
    makeUsageEvent(tenant, 300n, { id: makeUuidV7(now), userId: "7", budgets: [{ ...share, fromLease: 300n }] }),
    makeUsageEvent(tenant, 400n, { id: makeUuidV7(now), isBilled: false, budgets: [{ ...share, fromLease: 400n }] }),
    makeUsageEvent(tenant, 10n, { id: makeUuidV7(startsAtMs - 1) }),
  ]);
  const { rows } = await sql`
    select w.scope, w.spent, w.leased, l.settled from budget_windows w join budget_leases l using (organization_id, scope, scope_id, starts_at)
     where organization_id = ${organizationId} order by w.scope, w.scope_id = 'key_OTHER', w.starts_at`.execute(worker);
  expect(rows).toEqual([
    { scope: "key", spent: 710n, leased: 0n, settled: 500n },
    { scope: "key", spent: 0n, leased: 500n, settled: 0n },
    { scope: "team", spent: 10n, leased: 500n, settled: 0n },
    { scope: "team", spent: 700n, leased: 500n, settled: 0n },
    { scope: "user", spent: 300n, leased: 500n, settled: 0n },
  ]);
});

async function findLease(db: Database, { organizationId }: Tenant) {
  return db
    .selectFrom("credit_leases")
    .select(["settled", "outstanding", "state"])
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
}
