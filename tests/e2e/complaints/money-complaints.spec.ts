import { expect } from "@playwright/test";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { test } from "../stage/console-test.ts";
import { post } from "../stage/fill-instance.ts";

// Complaints about sums, sorting, limits, and prices.

test("C1 every chart names its timezone, and the days of any zone add up to the range", async ({ instance, admin }) => {
  await admin.open("/usage");
  await expect(admin.page.locator("main")).toContainText("UTC");
  const platform = await instance.signIn(instance.admin);
  for (const timezone of ["UTC", "Asia/Kolkata", "America/Los_Angeles"]) {
    const { data, totals } = await platform.call("getUsage", { query: { groupBy: ["day"], timezone } });
    const sum = data.reduce((before, { cost }) => before + cost, 0n);
    expect(sum, timezone).toBe(totals.cost);
  }
});

test("C3 an order that is not credited yet shows its status, and users can check the payment", async ({
  admin,
  filled,
}) => {
  await admin.open(`/credits?order=${filled.pendingPurchaseId}`);
  const timeline = admin.page.getByRole("list", { name: "Order timeline" });
  await expect(timeline.getByText("Awaiting payment", { exact: false }).first()).toBeVisible();
  await admin.page.getByRole("button", { name: "Check payment now" }).first().click();
  await admin.settle();
  await admin.open(`/credits?order=${filled.purchaseId}`);
  await expect(admin.page.getByText(/ledger entry txn_/)).toBeVisible();
});

test("C4 a refusal names the limit, its owner, the amount used, and the reset time", async ({
  instance,
  admin,
  filled,
}) => {
  const platform = await instance.signIn(instance.admin);
  const { apiKey } = await platform.call("createApiKey", {
    body: { name: "Nearly nothing", team_id: filled.teamId, budget: { limit: 1n, period: "daily" } },
  });
  const body = { model: "support-chat", messages: [{ role: "user", content: "Hello" }] };
  // The call that reaches the limit still succeeds. The call after it is refused.
  const answer = await waitFor("a refusal", async () => {
    const each = await post(instance, String(apiKey.token), "/v1/chat/completions", body);
    return each.ok ? each.text().then(() => null) : each;
  });
  const { error } = (await answer.json()) as { error: { limit?: { owner?: unknown } } };
  expect(error.limit).toBeDefined();
  const id = String(answer.headers.get("x-gw-call-id"));
  const card = admin.page.getByRole("region", { name: "Why was this request refused?" });
  await admin.retry(`/logs/${id}`, () => card);
  await expect(card).toContainText("Nearly nothing");
});

test("C6 a model without a price is Unpriced, never free", async ({ admin }) => {
  await admin.open("/model_hub_table?search=unpriced-chat");
  const row = admin.page.getByRole("row", { name: /unpriced-chat/ });
  await expect(row).toContainText("Unpriced");
  await expect(row).not.toContainText("$0");
  await admin.open("/admin/deployments");
  await expect(admin.page.getByText(/unpriced/i).first()).toBeVisible();
});
