import { fireEvent, screen, within } from "@testing-library/react";
import type { Operations } from "@tollgate/sdk/platform";
import { expect, test, vi } from "vitest";
import { answerApi, Refusal } from "../../testing/answer-api.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { LedgerPanel } from "./ledger-panel.tsx";

type Line = Operations["listLedger"]["answer"]["lines"][number];

const PURCHASE: Line = {
  id: "led_1",
  kind: "purchase",
  firstAt: "2020-06-12T22:30:00Z",
  lastAt: "2020-06-12T22:30:00Z",
  entries: 1,
  amount: 50_000_000_000n,
  balanceAfter: 48_765_432_109n,
  reference: "pur_0123456789abcdef",
  description: "Paid by card",
  usd: {},
};
const USAGE: Line = {
  ...PURCHASE,
  id: "led_2",
  kind: "usage",
  entries: 3,
  amount: -1_234_567_891n,
  balanceAfter: -1_234_567_891n,
  reference: null,
};

async function renderLedger(props: Partial<Parameters<typeof LedgerPanel>[0]> = {}, zone = "UTC"): Promise<void> {
  const none = () => {};
  await renderConsole(
    <LedgerPanel movements="all" onMovements={none} before="" onBefore={none} onOrder={none} {...props} />,
    { zone },
  );
}

async function readRows(): Promise<readonly (readonly (string | null)[])[]> {
  const table = await screen.findByRole("table", { name: "Ledger" });
  return within(table)
    .getAllByRole("row")
    .map((row) => [...row.children].map(({ textContent }) => textContent));
}

test("each entry has its exact signed amount and the balance after it", async () => {
  answerApi({ listLedger: { lines: [PURCHASE, USAGE], next: null } });
  await renderLedger();
  expect(await readRows()).toEqual([
    ["Time (UTC)", "Type", "Details", "Amount (USD)", "Balance after"],
    ["12 Jun 2020 22:30", "Purchase", "…89abcdefPaid by card", "+$50.000000000", "$48.765432109"],
    ["12 Jun 2020 22:30", "Usage", "Requests settled in 3 entries", "−$1.234567891", "−$1.234567891"],
  ]);
});

test("times are in the zone of the page", async () => {
  answerApi({ listLedger: { lines: [PURCHASE], next: null } });
  await renderLedger({}, "Asia/Tokyo");
  const [head, row] = await readRows();
  expect([head?.[0], row?.[0]]).toEqual(["Time (Asia/Tokyo)", "13 Jun 2020 07:30"]);
});

test("a type of entries is requested with all of its kinds, also for the file", async () => {
  const sent = answerApi({ listLedger: { lines: [USAGE], next: null } });
  await renderLedger({ movements: "usage" });
  await readRows();
  expect(sent[0]?.query.toString()).toBe("limit=50&kind=usage&kind=usage_reversal");
  expect(screen.getByRole("link", { name: "CSV" }).getAttribute("href")).toBe(
    "/api/credits/transactions?format=csv&kind=usage&kind=usage_reversal",
  );
});

test("older entries start after the last one shown, and Newest leads back", async () => {
  const sent = answerApi({ listLedger: { lines: [USAGE], next: "led_2" } });
  const onBefore = vi.fn();
  await renderLedger({ before: "led_9", onBefore });
  fireEvent.click(await screen.findByRole("button", { name: "Older" }));
  fireEvent.click(screen.getByRole("button", { name: "Newest" }));
  expect(onBefore.mock.calls).toEqual([["led_2"], [""]]);
  expect(sent[0]?.query.get("before")).toBe("led_9");
});

test("the last page has no older entries", async () => {
  answerApi({ listLedger: { lines: [USAGE], next: null } });
  await renderLedger();
  await readRows();
  expect(screen.queryByRole("button", { name: "Older" })).toBeNull();
});

test("an entry of a purchase leads to its order", async () => {
  answerApi({ listLedger: { lines: [PURCHASE], next: null } });
  const onOrder = vi.fn();
  await renderLedger({ onOrder });
  fireEvent.click(await screen.findByRole("button", { name: "…89abcdef" }));
  expect(onOrder.mock.calls).toEqual([["pur_0123456789abcdef"]]);
});

test("an empty ledger says so", async () => {
  answerApi({ listLedger: { lines: [], next: null } });
  await renderLedger();
  await screen.findByText("No ledger entries yet.");
});

test("a failure is shown with its request ID", async () => {
  answerApi({ listLedger: new Refusal(400, "The cursor is invalid") });
  await renderLedger();
  await screen.findByText("Could not load the ledger.");
  screen.getByText("req_1");
});
