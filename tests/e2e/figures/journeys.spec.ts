import { expect, type Page } from "@playwright/test";
import { noteFound } from "../stage/figures.ts";
import { test } from "./figures-test.ts";
import { exactMoney, money } from "./format-figure.ts";
import { UNKNOWN_MODEL } from "./make-live-requests.ts";
import { readFigures, readText } from "./read-page.ts";

// What an operator does with the figures. A step is a page that is opened, a click, or a text that is entered.

/** Counts the steps of a journey, and prints their number next to its name. */
class Steps {
  #taken = 0;

  async take(step: Promise<unknown>): Promise<void> {
    this.#taken += 1;
    await step;
  }

  end(limit: number): void {
    noteFound(`${this.#taken} steps`);
    expect(this.#taken).toBeLessThanOrEqual(limit);
  }
}

/** Opens the log, searches for a request ID, and opens the only row. */
async function findRequest(steps: Steps, page: Page, open: (path: string) => Promise<void>, id: string): Promise<void> {
  await steps.take(open("/logs"));
  await steps.take(page.getByPlaceholder("Request ID or error code").fill(id));
  const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr");
  await expect(rows).toHaveCount(1);
  await steps.take(rows.first().click());
}

test("finds a rejected request by its ID, with the reason and the fix", async ({ seeded }) => {
  const { opened, keys } = seeded;
  const steps = new Steps();
  await findRequest(steps, opened.page, opened.open, keys.rejectedId);
  const main = opened.page.locator("main");
  await expect(main).toContainText(UNKNOWN_MODEL);
  await expect(main).toContainText("model_not_found");
  await expect(main).toContainText(keys.rejectedId);
  steps.end(3);
});

test("explains a refusal from the log alone: the limit, its owner, its use, and its reset", async ({ seeded }) => {
  const { opened, keys } = seeded;
  const steps = new Steps();
  await findRequest(steps, opened.page, opened.open, keys.refusedId);
  const card = opened.page.getByRole("region", { name: "Why was this request refused?" });
  await expect(card).toContainText("live-limited");
  await expect(card).toContainText(/2 requests|2 of 2/);
  await expect(card).toContainText(/reset/i);
  steps.end(3);
});

test("a month's spend is the same on Home, in Usage, in the ledger, and on the command line", async ({ seeded }) => {
  const { opened, rows, month, runCommand } = seeded;
  const { page } = opened;
  const { cost } = await rows.sum(month);
  const expected = money(cost);
  const steps = new Steps();
  await steps.take(opened.open("/?range=30d"));
  expect((await readFigures(page)).get("Spend"), "Home").toBe(expected);
  await steps.take(page.getByRole("link", { name: "Open in Usage" }).click());
  await opened.settle();
  const panel = page.locator("section", { has: page.getByRole("heading", { name: "Spend by day" }) }).last();
  await expect(panel, "Usage").toContainText(expected);
  const bar = page.getByRole("region", { name: "Reconciliation of rollups, logs, and ledger" });
  expect((await readText(bar)).split("Ledger")[1], "ledger").toContain(exactMoney(cost));
  let printed = "";
  await steps.take(
    runCommand("usage", "--since", month.from.toISOString(), "--timezone", "UTC", "--json").then((text) => {
      printed = text;
    }),
  );
  const { meta } = JSON.parse(printed) as { meta: { totals: { cost: number } } };
  expect(BigInt(meta.totals.cost), "command line").toBe(cost);
  steps.end(3);
});
