import type { Comparison } from "./comparison.ts";
import { modelLabel } from "./console-labels.ts";
import type { Seeded } from "./figures-test.ts";
import { count, money, moneyBeside, plural, share, totalMoney } from "./format-figure.ts";
import { readAccounts } from "./read-accounts.ts";
import { readChart, readFigures, readNamedTable, readText, type TableRow } from "./read-page.ts";
import { errorRate, NO_SUMS, type Sums } from "./read-rows.ts";

const DAY_MS = 86_400_000;
/** Series of a chart; all others are one series. */
const MAX_SERIES = 7;

/** Compares Home: the balance, the key figures, the chart, and the most expensive keys and models. */
export async function compareHome(comparison: Comparison, seeded: Seeded): Promise<void> {
  const { opened, rows, month, organizationId, now } = seeded;
  await opened.open("/?range=30d");
  const { page } = opened;
  const compare = (figure: string, actual: string | undefined, expected: string) =>
    comparison.compare("Home", figure, actual, expected);
  const sums = await rows.sum(month);
  const figures = await readFigures(page);
  compare("spend", figures.get("Spend"), money(sums.cost));
  compare("requests", figures.get("Requests"), count(sums.requests));
  compare("success rate", figures.get("Success rate"), share(1 - (errorRate(sums) ?? 0), 2));
  const main = page.locator("main");
  const balance = [...(await rows.ledger()).values()].reduce((sum, { amount }) => sum + amount, 0n);
  compare("balance", (await readText(main)).match(/Balance (\S+)/)?.[1], money(balance));
  const accounts = await readAccounts(rows, organizationId, now);

  const byModel = await rows.sumBy("model", month);
  const models = await readNamedTable(page, "Top models");
  compare("top models, total requests", models.foot?.Requests, count(sums.requests));
  compare("top models, total spend", models.foot?.Spend, totalMoney(sums.cost));
  compareRanked(comparison, "Home, top models", models.rows, byModel, sums, (name) => name || "No model", "model");
  const byKey = await rows.sumBy("key", month);
  const keys = await readNamedTable(page, "Top keys");
  compare("top keys, total requests", keys.foot?.Requests, count(sums.requests));
  compare("top keys, total spend", keys.foot?.Spend, totalMoney(sums.cost));
  const keyName = (id: string) => accounts.keys.find((key) => key.id === id)?.name ?? id;
  compareRanked(comparison, "Home, top keys", keys.rows, byKey, sums, keyName, "key");

  const chart = await readChart(page, "Spend by day");
  await compareDays(comparison, "Home, spend by day", chart.rows, seeded, (day) => moneyBeside(sums.cost)(day.cost));
  compare("spend by day, total", chart.foot?.Total, totalMoney(sums.cost));
  const paid = byModel.filter(({ cost }) => cost > 0n).toSorted((one, other) => (one.cost < other.cost ? 1 : -1));
  for (const { name, cost } of paid.slice(0, MAX_SERIES)) {
    compare(`spend by day, ${name}`, chart.foot?.[modelLabel(name)], moneyBeside(sums.cost)(cost));
  }
  const others = paid.slice(MAX_SERIES).reduce((sum, { cost }) => sum + cost, 0n);
  compare("spend by day, others", chart.foot?.Other, moneyBeside(sums.cost)(others));
}

/** Compares the changes from the previous period on Home, on the usage page, and in the API. */
export async function compareChanges(comparison: Comparison, { opened, rows, month, platform }: Seeded): Promise<void> {
  const [shiftMs, lengthMs] = [14 * DAY_MS, month.to.getTime() - month.from.getTime() - 16 * DAY_MS];
  const range = { from: new Date(month.to.getTime() - lengthMs), to: month.to };
  const before = { from: new Date(range.from.getTime() - shiftMs), to: new Date(range.to.getTime() - shiftMs) };
  const [now, earlier] = [await rows.sum(range), await rows.sum(before)];
  const spend = Math.abs(Number(now.cost - earlier.cost)) / Number(earlier.cost);
  const requests = Math.abs(now.requests - earlier.requests) / earlier.requests;
  const time = { startDate: range.from.toISOString(), endDate: range.to.toISOString(), timezone: "UTC" };
  const { previous } = await platform.call("getUsage", { query: { ...time, compare: "previous" } });
  comparison.compare("API usage", "previous period, start", previous?.startDate, before.from.toISOString());
  comparison.compare("API usage", "previous period, spend", previous?.totals.cost, earlier.cost);
  comparison.compare("API usage", "previous period, requests", previous?.totals.requests, earlier.requests);

  await opened.open("/?range=14d");
  const home = await readText(opened.page.locator("main"));
  const changeOf = (label: string) =>
    new RegExp(`${label} \\S+ (?:up|down)\\s*(\\S+) vs previous 14 days`).exec(home)?.[1];
  comparison.compare("Home", "change of spend", changeOf("Spend"), share(spend));
  comparison.compare("Home", "change of requests", changeOf("Requests"), share(requests));
  for (const [measure, change, total] of [
    ["spend", spend, money(earlier.cost)],
    ["requests", requests, count(earlier.requests)],
  ] as const) {
    await opened.open(`/usage?range=14d&measure=${measure}`);
    const usage = await readText(opened.page.locator("main"));
    const [, shown, from] = /(?:up|down)\s*(\S+) from (\S+)/.exec(usage) ?? [];
    comparison.compare("Usage", `change of ${measure}`, shown, share(change));
    comparison.compare("Usage", `${measure} of the previous period`, from, total);
  }
}

/** Compares a table of the five most expensive entities and all others. */
function compareRanked(
  comparison: Comparison,
  source: string,
  shown: readonly TableRow[],
  sums: readonly Sums[],
  all: Sums,
  label: (name: string) => string,
  noun: string,
): void {
  const sorted = sums.toSorted((one, other) =>
    one.cost === other.cost ? other.requests - one.requests : one.cost < other.cost ? 1 : -1,
  );
  const first = sorted.length <= 6 ? sorted : sorted.slice(0, 5);
  const rest = sorted.slice(first.length);
  const format = moneyBeside(all.cost);
  comparison.compare(source, "rows", shown.length, first.length + (rest.length > 0 ? 1 : 0));
  for (const [index, { name, requests, cost }] of first.entries()) {
    const row = shown[index];
    comparison.compare(source, `${index + 1}, name`, row?.name, label(name));
    comparison.compare(source, `${index + 1}, requests`, row?.Requests, count(requests));
    comparison.compare(source, `${index + 1}, spend`, row?.Spend, format(cost));
  }
  const others = shown[first.length];
  comparison.compare(source, "others", others?.name, plural(rest.length, `other ${noun}`));
  comparison.compare(
    source,
    "requests of others",
    others?.Requests,
    count(rest.reduce((sum, each) => sum + each.requests, 0)),
  );
  comparison.compare(source, "spend of others", others?.Spend, format(rest.reduce((sum, each) => sum + each.cost, 0n)));
}

/** Compares the total of each day of a chart's table, which has the days oldest first. */
export async function compareDays(
  comparison: Comparison,
  source: string,
  shown: readonly TableRow[],
  { rows, month }: Seeded,
  format: (day: Sums) => string,
): Promise<void> {
  const days = await rows.sumBy("to_char(at at time zone 'UTC', 'YYYY-MM-DD')", month);
  for (const [index, row] of shown.entries()) {
    const day = new Date(month.from.getTime() + index * DAY_MS).toISOString().slice(0, 10);
    comparison.compare(source, day, row.Total, format(days.find(({ name }) => name === day) ?? NO_SUMS));
  }
}
