import { expect, type Locator } from "@playwright/test";
import { test } from "../stage/console-test.ts";

// Reviews prices as an administrator does: disputes of the catalog, prices of an organization, and the margin.

test.afterEach(({ admin }) => expect(admin.takeProblems()).toEqual([]));

test("a disputed price shows the amounts of both sources, and confirming one settles it", async ({
  admin,
  instance,
}) => {
  const { page } = admin;
  const platform = await instance.signIn(instance.admin);
  const { disputes, sources } = await platform.call("getCatalogPrices");
  // The amounts of both sources, so that the panel shows all of them.
  const dispute = disputes.find(({ prices }) => prices.some(({ first, second }) => first !== null && second !== null));
  const model = String(dispute?.model);
  await admin.open(`/admin/prices?search=${encodeURIComponent(model)}`);
  const row = page.getByRole("table", { name: "Disputed prices" }).getByRole("row").filter({ hasText: model }).first();
  await row.click();
  const panel = page.getByRole("table", { name: "Amounts by source" });
  const [first, second] = sources.map(({ name }) => name.split(",")[0] as string) as [string, string];
  for (const name of [first, second]) await expect(panel).toContainText(name);
  await expect(panel.getByText(/^\$\d/)).not.toHaveCount(0);
  await page.getByRole("button", { name: second }).click();
  await page.getByRole("button", { name: "Confirm price" }).click();
  await expect(page.getByText(`Price of ${model} confirmed`)).toBeVisible();
  await expect(panel).toBeHidden();

  const { disputes: left } = await platform.call("getCatalogPrices");
  expect(left.map((one) => one.model)).not.toContain(model);
  expect(left).toHaveLength(disputes.length - 1);
});

test("the gross margin is shown by model, provider, organization, and day", async ({ admin, filled: _ }) => {
  const { page } = admin;
  const table = page.getByRole("table", { name: "Gross margin" });
  // The simulated provider charges nothing, so the whole price is margin.
  await admin.retry("/admin/prices", () => rowOf(table, "support-chat"));
  await expect(rowOf(table, "support-chat")).toContainText("100.0%");
  await page.getByRole("button", { name: "Provider", exact: true }).click();
  await expect(rowOf(table, "sim")).toBeVisible();
  await page.getByRole("button", { name: "Day", exact: true }).click();
  await expect(rowOf(table, new Date().toISOString().slice(0, 7))).toBeVisible();
  // The choice is part of the URL.
  await page.reload();
  await admin.settle();
  await expect(page.getByRole("button", { name: "Day", exact: true })).toHaveAttribute("aria-pressed", "true");
});

test("an organization gets its own price, sees it in the model hub, and returns to the standard price", async ({
  admin,
  instance,
}) => {
  const { page } = admin;
  const platform = await instance.signIn(instance.admin);
  const { data } = await platform.call("listOrganizations");
  const path = `/admin/organizations?open=${data[0]?.id}`;
  const prices = page.getByRole("heading", { name: "Own prices" }).locator("..");
  const input = page.getByText("Input per 1M tokens", { exact: true }).locator("..");
  await admin.open("/model_hub_table/support-chat");
  await expect(input).toContainText("$2.50");

  await admin.open(path);
  await expect(prices).toContainText("This organization pays standard prices.");
  await prices.getByLabel("Model group").fill("support-chat");
  await prices.getByLabel("Percentage").fill("-50");
  await prices.getByRole("button", { name: "Save price" }).click();
  await expect(page.getByText("Price saved")).toBeVisible();
  await expect(prices.getByRole("listitem")).toContainText(["support-chat"]);
  await expect(prices.getByRole("listitem")).toContainText(["-50 %"]);
  await admin.retry("/model_hub_table/support-chat", () => input.getByText("$1.25"));

  await admin.open(path);
  await prices.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("Price removed")).toBeVisible();
  await expect(prices).toContainText("This organization pays standard prices.");
  await admin.retry("/model_hub_table/support-chat", () => input.getByText("$2.50"));
});

const rowOf = (table: Locator, text: string): Locator => table.getByRole("row").filter({ hasText: text }).first();
