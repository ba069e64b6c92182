import { querySql } from "@tollgate/testkit/database.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { startTestPlatform } from "../../platform.fixture.ts";

const test = engines.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

test("an administrator views an organization, and its audit log says so", async ({ platform, database }) => {
  const admin = await platform.addUser({ role: "admin" });
  const ada = await platform.addUser();
  const key = { name: "ci", team_id: ada.teamId };
  const made = await platform.api("POST", "/api/gw/api-keys", { token: ada.token, body: key });
  const at = new Date().toISOString();
  await querySql(
    database.connectionString,
    `insert into usage_rollups (organization_id, bucket_at, team_id, key_id, model_group, provider, requests, errors,
       input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, latency_ms_sum)
     values ('${ada.organizationId}', '${at}', '${ada.teamId}', '${made.body.apiKey.id}', 'fast', '', 1, 0, 0, 0, 0, 0, 0,
       1500000, 1)`,
  );
  const path = `/api/admin/organizations/${ada.organizationId}/activity`;
  const { status, body } = await platform.api("GET", path, { token: admin.token });
  expect(status).toBe(200);
  const spent = { cost: 1_500_000, usd: { cost: "0.001500000" } };
  expect(body).toMatchObject({
    members: [{ id: ada.userId, email: ada.email, role: "owner" }],
    keys: [{ id: made.body.apiKey.id, name: "ci", status: "active", ...spent }],
    models: [{ model: "fast", ...spent }],
    days: [{ day: at.slice(0, 10), ...spent }],
  });
  const log = await platform.api("GET", "/api/gw/audit-log?action=org.viewed", { token: ada.token });
  expect(log.body.data).toMatchObject([
    { actor: { type: "admin", email: admin.email }, target: { id: ada.organizationId } },
  ]);
});

test("only administrators view other organizations", async ({ platform }) => {
  const [ada, eve] = [await platform.addUser(), await platform.addUser()];
  const path = `/api/admin/organizations/${ada.organizationId}/activity`;
  expect((await platform.api("GET", path, { token: eve.token })).status).toBe(403);
  const admin = await platform.addUser({ role: "admin" });
  const none = "/api/admin/organizations/org_00000000000000000000000000/activity";
  expect((await platform.api("GET", none, { token: admin.token })).status).toBe(404);
});
