import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, lendCredit, makeUsageEvent, TEST_NODE } from "@tollgate/testkit/usage-events.ts";
import { expect } from "vitest";
import { pruneLedger } from "./prune-ledger.ts";
import { settleUsage } from "./settle-usage.ts";
import { ensureUsagePartitions } from "./usage-partitions.ts";
import { findBrokenInvariants } from "./verify/find-broken-invariants.ts";

const KEEPING = { budgetWindowDays: 90, leaseDays: 30, silentNodeDays: 30, deliveredReportDays: 30 };
const DAY_MS = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

test("removes only obsolete rows, and the ledger still passes verification", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000_000n);
  const { organizationId } = tenant;
  const ask = <Row>(text: string) => querySql<Row>(database.connectionString, text);
  const [goneNode, liveNode, oldNode] = [1, 2, 4].map((atMs) => makePrefixedId("node", atMs));
  await ensureUsagePartitions(worker, dayBefore(60), dayBefore(60));
  await lendCredit(database, tenant, 100n);
  await settleUsage(worker, [makeUsageEvent(tenant, 100n, { fromLease: 100n })]);
  await ask(`
    insert into gateway_nodes (node_id, epoch, alive_until) values
      ('${goneNode}', 1, now() - interval '31 days'), ('${liveNode}', 2, now() - interval '29 days'),
      ('${TEST_NODE}', 2, now() - interval '31 days');
    update credit_leases set state = 'closed', created_at = now() - interval '31 days';
    insert into credit_leases (organization_id, node_id, epoch, state, created_at) values
      ('${organizationId}', '${goneNode}', 1, 'reclaimed', now() - interval '31 days'),
      ('${organizationId}', '${liveNode}', 1, 'closed', now() - interval '31 days'),
      ('${organizationId}', '${liveNode}', 2, 'reclaimed', now() - interval '31 days'),
      ('${organizationId}', '${TEST_NODE}', 2, 'closed', now() - interval '29 days');
    insert into credit_leases (organization_id, node_id, epoch, state, created_at, granted, settled) values
      ('${organizationId}', '${oldNode}', 1, 'closed', now() - interval '99 days', 5, 5),
      ('${organizationId}', '${oldNode}', 2, 'closed', now() - interval '61 days', 5, 5);
    insert into budget_windows (organization_id, scope, scope_id, starts_at, ends_at, amount, leased) values
      ('${organizationId}', 'key', 'old', now() - interval '99 days', now() - interval '91 days', 5, 0),
      ('${organizationId}', 'key', 'held', now() - interval '99 days', now() - interval '91 days', 5, 5),
      ('${organizationId}', 'key', 'recent', now() - interval '99 days', now() - interval '89 days', 5, 0),
      ('${organizationId}', 'key', 'endless', 'epoch', 'infinity', 5, 0);
    insert into budget_leases (organization_id, scope, scope_id, starts_at, node_id, epoch, granted, settled)
    select organization_id, scope, scope_id, starts_at, '${liveNode}', epoch, 5, 5 - leased
      from budget_windows, (values (1), (2)) as run (epoch) where epoch = 2 or leased = 0;
    insert into outbox (organization_id, type, created_at, delivered_at) values
      ('${organizationId}', 'delivered', now(), now() - interval '31 days'),
      ('${organizationId}', 'delivered lately', now(), now() - interval '29 days'),
      ('${organizationId}', 'waiting', now() - interval '99 days', null)`);
  await ask(`update credit_leases set state = 'active' where node_id = '${liveNode}' and epoch = 2`);

  const removed = await pruneLedger(worker, KEEPING);

  const left = async (text: string) => (await ask<{ name: string }>(text)).map(({ name }) => name);
  expect(await left("select node_id as name from gateway_nodes")).toEqual([liveNode]);
  expect(await left("select node_id || ' ' || epoch as name from credit_leases order by 1")).toEqual(
    // Only the first of the old node's leases is deleted, because its epoch ended before the retention period and can't
    // have calls within that period.
    [`${TEST_NODE} 1`, `${TEST_NODE} 2`, `${liveNode} 2`, `${oldNode} 2`].sort(),
  );
  expect(await left("select scope_id as name from budget_windows order by 1")).toEqual(["endless", "held", "recent"]);
  expect(await left("select scope_id || ' ' || epoch as name from budget_leases order by 1")).toEqual([
    "endless 2",
    "held 2",
    "recent 2",
  ]);
  expect(await left("select type as name from outbox order by 1")).toEqual(["delivered lately", "waiting"]);
  // The removed rows are two nodes, three leases, one window, two leases from other windows in a past epoch, and one
  // report.
  expect(removed).toBe(9);
  expect(await pruneLedger(worker, KEEPING)).toBe(0);
  const report = await findBrokenInvariants(worker, { isAtRest: true });
  expect(report.checks.flatMap(({ differences }) => differences)).toEqual([]);
});
