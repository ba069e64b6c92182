import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { reconcile } from "@tollgate/db/reconciliation/reports.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addTestPrice, makeLostAttempt, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { expect, onTestFinished } from "vitest";
import { startTestPlatform } from "../../platform.fixture.ts";
import { readBookMetrics } from "./read-book-metrics.ts";

const PATH = "/api/admin/metrics";

test("an administrator can scrape blocked teams, orders, leases, and the last ledger verification", async ({
  database,
}) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { token, organizationId } = await platform.addUser({ role: "admin" });
  const scrape = async () => {
    const answer = await fetch(`${platform.url}${PATH}`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return answer.text();
  };
  const before = await scrape();
  expect(before).toContain('gw_orders{state="paid"} 0\n');
  expect(before).toContain("gw_teams_blocked 0\n");
  expect(before).not.toMatch(/^gw_ledger_differences /m);

  const tenant = await addTenant(database.connect("tollgate_platform"), { credit: 5n });
  await querySql(
    database.connectionString,
    `update teams set status = 'blocked', blocked_reason = 'manual', blocked_at = now() where id = '${tenant.teamId}'`,
  );
  const worker = database.connect("tollgate_worker");
  await addTestPrice(worker);
  await settleUsage(worker, [makeUsageEvent(tenant, 2n, { lostAttempts: [makeLostAttempt(3n)] })]);
  await reconcile(worker);
  const good = await scrape();
  expect(before).toContain("gw_ledger_operator_loss_nanousd 0\n");
  expect(good).toContain("gw_ledger_operator_loss_nanousd 3\n");
  expect(good).toContain("gw_teams_blocked 1\n");
  expect(good).toContain("gw_ledger_differences 0\n");

  await querySql(
    database.connectionString,
    `update organization_quota set balance = balance + 7, total_adjusted = total_adjusted + 7
      where organization_id = '${organizationId}'`,
  );
  await reconcile(database.connect("tollgate_worker"));
  const broken = await scrape();
  expect(broken).toMatch(/^gw_ledger_differences [1-9]\d*$/m);
  // The balance and the adjustment total each differ from the postings by 7.
  expect(broken).toMatch(/^gw_ledger_difference_nanousd (7|14)$/m);
});

test("metrics show uncredited payments, parked usage, leases of unresponsive gateways, and unposted usage", async ({
  database,
}) => {
  const db = database.connect("tollgate_platform");
  const { organizationId } = await addTenant(db, { credit: 5n });
  const scrape = () => runAsAdministrator(db, readBookMetrics);
  const calm = await scrape();
  expect(calm).toContain('gw_orders_paid_not_credited{reason="not_credited"} 0\n');
  expect(calm).toContain('gw_leases{state="lapsed"} 0\n');
  expect(calm).toContain("gw_parked_events 0\n");
  expect(calm).toContain("gw_rollup_lag_seconds 0\n");
  expect(calm).toContain("gw_migration_failed 0\n");
  expect(calm).toMatch(/^gw_database_bytes [1-9]\d{6,}$/m);

  const event = (
    id: string,
    minutesAgo: number,
  ) => `insert into webhook_events (provider, event_id, kind, facts, received_at)
      values ('stripe', '${id}', 'paid', '{}', now() - interval '${minutesAgo} minutes');`;
  const node = "node_01ARZ3NDEKTSV4RRFFQ69G5FAV";
  await querySql(
    database.connectionString,
    `set tollgate.administrator = 'on'; set tollgate.door = 'on';
     ${event("evt_old", 11)} ${event("evt_new", 1)}
     insert into users (email, name) values ('ada@example.com', 'Ada');
     insert into purchases (id, organization_id, created_by, idempotency_key, body_digest, provider, amount)
       select 'pur_01ARZ3NDEKTSV4RRFFQ69G5FAV', '${organizationId}', id, 'k', sha256(''), 'stripe', 10000000 from users limit 1;
     insert into webhook_events (provider, event_id, kind, facts, received_at, purchase_id, organization_id)
       values ('stripe', 'evt_of', 'paid', '{}', now() - interval '1 hour', 'pur_01ARZ3NDEKTSV4RRFFQ69G5FAV', '${organizationId}');
     insert into schema_migration_failures (name, release, reason) values ('0099_x', '9.9.9', 'it hurt');
     insert into parked_events (id, reason, event) values (gen_random_uuid(), 'unreadable', '{}');
     insert into gateway_nodes (node_id, epoch, alive_until, oldest_unconfirmed_at)
       values ('${node}', 1, now() + interval '20 seconds', now() - interval '90 seconds');
     insert into credit_leases (organization_id, node_id, epoch, granted, state, lapsed_at)
       values ('${organizationId}', '${node}', 1, 3, 'lapsed', now());`,
  );
  const stuck = await scrape();
  expect(stuck).toContain('gw_orders_paid_not_credited{reason="not_credited"} 1\n');
  expect(stuck).toContain('gw_orders_paid_not_credited{reason="unknown_purchase"} 1\n');
  expect(stuck).toContain("gw_parked_events 1\n");
  expect(stuck).toContain("gw_gateways 1\n");
  expect(stuck).toContain("gw_migration_failed 1\n");
  expect(stuck).toContain('gw_leases{state="lapsed"} 1\n');
  expect(stuck).toContain("gw_leased_nanousd 3\n");
  expect(stuck).toMatch(/^gw_rollup_lag_seconds (9\d|1\d\d)/m);
});

test("returns 403 to other users and 401 without a token", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { token } = await platform.addUser();
  expect((await platform.api("GET", PATH, { token })).status).toBe(403);
  expect((await platform.api("GET", PATH)).status).toBe(401);
});
