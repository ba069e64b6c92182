import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { disputeDigest } from "@tollgate/catalog/settle-disputes.ts";
import { listConfirmations } from "@tollgate/db/catalog/editions.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { startTestPlatform } from "../../platform.fixture.ts";

const test = engines.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

const disputed = loadCatalog()
  .models()
  .find(({ disputes }) => disputes.length > 0);

test("lists the edition in effect and its disputed prices for administrators only", async ({ platform }) => {
  const { token } = await platform.addUser({ role: "admin" });
  const { status, body } = await platform.api("GET", "/api/admin/prices", { token });
  expect(status).toBe(200);
  expect(body).toMatchObject({ edition: loadCatalog().version, history: [] });
  const listed = (body as { disputes: { model: string; prices: object[] }[] }).disputes;
  expect(listed.find(({ model }) => model === disputed?.id)?.prices).toHaveLength(disputed?.disputes.length ?? 0);
  const user = await platform.addUser();
  expect((await platform.api("GET", "/api/admin/prices", { token: user.token })).status).toBe(403);
});

test("an administrator confirms a disputed price, and the audit log records it", async ({ platform, database }) => {
  const { token } = await platform.addUser({ role: "admin" });
  const confirm = (body: object) => platform.api("POST", "/api/admin/prices/confirm", { token, body });
  expect((await confirm({ model: disputed?.id, choice: "second" })).status).toBe(204);
  expect(await listConfirmations(database.connect("tollgate_gateway"))).toMatchObject([
    { model: disputed?.id, choice: "second", digest: disputed === undefined ? "" : disputeDigest(disputed) },
  ]);
  const { body } = await platform.api("GET", "/api/admin/audit-log?action=catalog.price_confirmed", { token });
  expect((body as { data: object[] }).data).toHaveLength(1);
  expect((await confirm({ model: "openai/gpt-4o", choice: "first" })).status).toBe(400);
  expect((await confirm({ model: "openai/none", choice: "first" })).status).toBe(404);
  expect((await confirm({ model: disputed?.id, choice: "lower" })).status).toBe(400);
});
