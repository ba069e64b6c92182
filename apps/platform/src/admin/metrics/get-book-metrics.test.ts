import { reconcile } from "@tollgate/db/reconciliation/reports.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startTestPlatform } from "../../platform.fixture.ts";

const PATH = "/api/admin/metrics";

test("an administrator's scraper sees blocked teams, orders, leases and what the last proof of the books found", async ({
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

  const { teamId } = await addTenant(database.connect("tollgate_platform"), { credit: 5n });
  await querySql(
    database.connectionString,
    `update teams set status = 'blocked', blocked_reason = 'manual', blocked_at = now() where id = '${teamId}'`,
  );
  await reconcile(database.connect("tollgate_worker"));
  const good = await scrape();
  expect(good).toContain("gw_teams_blocked 1\n");
  expect(good).toContain("gw_ledger_differences 0\n");

  await querySql(
    database.connectionString,
    `update organization_quota set balance = balance + 7, total_adjusted = total_adjusted + 7
      where organization_id = '${organizationId}'`,
  );
  await reconcile(database.connect("tollgate_worker"));
  expect(await scrape()).toMatch(/^gw_ledger_differences [1-9]\d*$/m);
});

test("nobody else sees them", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { token } = await platform.addUser();
  expect((await platform.api("GET", PATH, { token })).status).toBe(403);
  expect((await platform.api("GET", PATH)).status).toBe(401);
});
