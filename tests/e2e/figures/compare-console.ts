import type { Operations } from "@tollgate/sdk/platform";
import { readPlainMoney } from "./compare-api.ts";
import { DELIVERED, healthOf } from "./compare-health.ts";
import type { Comparison } from "./comparison.ts";
import type { Seeded } from "./figures-test.ts";
import {
  contextSize,
  count,
  duration,
  exactMoney,
  money,
  moneyBeside,
  plural,
  share,
  totalMoney,
} from "./format-figure.ts";
import { readAccounts } from "./read-accounts.ts";
import { readChart, readFigures, readNamedTable, readText, type TableRow } from "./read-page.ts";
import { CLASSES, cacheHitRate, errorRate, NO_SUMS, percentile, type Sums } from "./read-rows.ts";

const DAY_MS = 86_400_000;
/** Series of a chart; all others are one series. */
const MAX_SERIES = 7;
/** Label of the requests that name no known model. */
const NO_MODEL = "Not recorded";
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const rateText = (rate: number | null): string => (rate === null ? "" : share(rate, 2));
const nameOf = (text: string): string => (text === "" ? NO_MODEL : text);

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
    compare(`spend by day, ${name}`, chart.foot?.[nameOf(name)], moneyBeside(sums.cost)(cost));
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
async function compareDays(
  comparison: Comparison,
  source: string,
  shown: readonly TableRow[],
  { rows, month }: Seeded,
  format: (day: Sums) => string,
): Promise<void> {
  const days = await rows.sumBy("to_char(at at time zone 'UTC', 'YYYY-MM-DD')", month);
  for (const [index, row] of shown.entries()) {
    const day = new Date(month.from.getTime() + index * 86_400_000).toISOString().slice(0, 10);
    comparison.compare(source, day, row.Total, format(days.find(({ name }) => name === day) ?? NO_SUMS));
  }
}

/** Groupings of the usage page, with the expression over the rows and the header of the first column. */
const dimensions = [
  { group: "model", by: "model" },
  { group: "team", by: "team" },
  { group: "key", by: "key" },
  { group: "provider", by: "provider" },
  { group: "user", by: "(select user_id from api_keys where id = key)::text" },
] as const;

/** Compares the usage page by every grouping, with filters, and its charts. */
export async function compareUsagePage(comparison: Comparison, seeded: Seeded): Promise<void> {
  const { opened, rows, month, keys, organizationId, now } = seeded;
  const { page } = opened;
  const accounts = await readAccounts(rows, organizationId, now);
  const users = await rows.query<{ id: number; name: string }>("select id, name from users");
  const labels: Readonly<Record<(typeof dimensions)[number]["group"], (name: string) => string>> = {
    model: nameOf,
    team: (id) => accounts.teams.find((team) => team.id === id)?.name ?? id,
    key: (id) => accounts.keys.find((key) => key.id === id)?.name ?? id,
    provider: (name) => name || "Not sent to a provider",
    user: (id) => users.find((user) => String(user.id) === id)?.name ?? id,
  };
  for (const { group, by } of dimensions) {
    await opened.open(`/usage?range=30d&group=${group}`);
    const table = await readNamedTable(page, `Usage by ${group}`);
    const sums = await rows.sumBy(by, month);
    await compareUsageTable(comparison, `Usage by ${group}`, table, sums, await rows.sum(month), labels[group]);
  }
  for (const [query, where] of [
    ["model=gpt-4.1", "model = 'gpt-4.1'"],
    [`team=${keys.teamId}`, `team = '${keys.teamId}'`],
    [`key=${keys.busy}`, `key = '${keys.busy}'`],
    ["provider=groq", "provider = 'groq'"],
  ] as const) {
    await opened.open(`/usage?range=30d&${query}`);
    const table = await readNamedTable(page, "Usage by model");
    const source = `Usage of ${query.split("=")[0]}`;
    await compareUsageTable(
      comparison,
      source,
      table,
      await rows.sumBy("model", month, where),
      await rows.sum(month, where),
      nameOf,
    );
  }
  await compareUsageCharts(comparison, seeded);
}

async function compareUsageTable(
  comparison: Comparison,
  source: string,
  { rows: shown, foot }: Awaited<ReturnType<typeof readNamedTable>>,
  sums: readonly Sums[],
  all: Sums,
  label: (name: string) => string,
): Promise<void> {
  comparison.compare(source, "rows", shown.length, sums.length);
  const format = moneyBeside(all.cost);
  const counted = (["refused", "rejected", "canceled"] as const).filter((name) => all[name] > 0);
  const compareRow = (name: string, row: TableRow | null | undefined, own: Sums) => {
    const compare = (figure: string, expected: string) =>
      comparison.compare(source, `${name}, ${figure.toLowerCase()}`, row?.[figure], expected);
    compare("Requests", count(own.requests));
    compare("Failed", count(own.failed));
    compare("Error rate", rateText(errorRate(own)));
    for (const each of counted) compare(capital(each), count(own[each]));
    compare("Input", count(own.input - own.cached));
    compare("Cached", count(own.cached));
    compare("Output", count(own.output));
    const hits = cacheHitRate(own);
    compare("Cache hit rate", hits === null ? "" : share(hits));
    compare("Cache savings", format(own.saved));
    compare("Spend", format(own.cost));
  };
  for (const own of sums)
    compareRow(
      label(own.name),
      shown.find(({ name }) => name === label(own.name)),
      own,
    );
  compareRow("total", foot, all);
}

async function compareUsageCharts(comparison: Comparison, seeded: Seeded): Promise<void> {
  const { opened, rows, month } = seeded;
  const { page } = opened;
  const all = await rows.sum(month);
  await opened.open("/usage?range=30d&measure=requests");
  const text = await readText(page.locator("main"));
  const compare = (figure: string, actual: string | undefined, expected: string) =>
    comparison.compare("Usage charts", figure, actual, expected);
  compare("failed requests", text.match(/(\S+) of \S+ failed/)?.[1], count(all.failed));
  compare("delivered requests", text.match(/\S+ of (\S+) failed/)?.[1], count(all.succeeded + all.failed));
  compare("error rate", text.match(/failed, (\S+%)/)?.[1], rateText(errorRate(all)));
  compare("tokens from a cache", text.match(/(\S+) of \S+ input tokens/)?.[1], count(all.cached));
  compare("input tokens", text.match(/\S+ of (\S+) input tokens/)?.[1], count(all.input));
  compare("cache savings", text.match(/Caches saved (\S+\d)\./)?.[1], money(all.saved));
  compare("median duration", text.match(/50% within (.+?),/)?.[1], duration(percentile(all, 0.5) ?? 0));
  compare("95th percentile", text.match(/95% within (\S+ \S+(?: \S+ s)?)/)?.[1], duration(percentile(all, 0.95) ?? 0));
  const chart = await readChart(page, "Requests by day");
  await compareDays(comparison, "Usage, requests by day", chart.rows, seeded, (day) => count(day.requests));
  const errors = await readChart(page, "Errors by class");
  for (const name of ["failed", "refused", "rejected"] as const)
    compare(name, errors.foot?.[capital(name)], count(all[name]));
  const tokens = await readChart(page, "Tokens by day");
  compare("output without reasoning", tokens.foot?.Output, count(all.output - all.reasoning));
  compare("reasoning", tokens.foot?.Reasoning, count(all.reasoning));
  compare("uncached input", tokens.foot?.Input, count(all.input - all.cached));
  compare("cached input", tokens.foot?.["Cached input"], count(all.cached));
  const strip = await readText(page.getByRole("region", { name: "Reconciliation of rollups, logs, and ledger" }));
  compare("reconciliation", strip.match(/Difference .*?UTC (\S+)/)?.[1], "0");
  for (const name of ["Rollups", "Logs", "Ledger"]) {
    const amount = new RegExp(`${name} .*?(\\$[\\d.,]+)`).exec(strip)?.[1];
    compare(`reconciliation, ${name.toLowerCase()}`, amount, exactMoney(all.cost));
  }
}

/** Compares the log's header, the legend of its histogram, and the line below the list. */
export async function compareLogsPage(
  comparison: Comparison,
  { opened, rows, month, keys, now }: Seeded,
): Promise<void> {
  const views: readonly (readonly [name: string, query: string, where: string])[] = [
    ["all", "", "true"],
    ...CLASSES.map((name) => [name, `class=${name}`, `class = '${name}'`] as const),
    ["one model", "model=gpt-4.1", "model = 'gpt-4.1'"],
    ["one key", `key=${keys.busy}`, `key = '${keys.busy}'`],
    ["one team", `team=${keys.teamId}`, `team = '${keys.teamId}'`],
    ["cached", "cached=true", "is_cached"],
    ["streamed", "stream=true", "is_stream"],
    ["one code", "code=model_not_found", "error_code = 'model_not_found'"],
    ["slow", "duration=5000", "latency_ms >= 5000"],
  ];
  const hours = { from: new Date(now.getTime() - 24 * 3_600_000), to: month.to };
  for (const [range, time] of [
    ["30d", month],
    ["24h", hours],
  ] as const) {
    for (const [name, query, where] of range === "24h" ? views.slice(0, 6) : views) {
      await opened.open(`/logs?range=${range}&${query}`);
      const sums = await rows.sum(time, where);
      const text = await readText(opened.page.locator("main"));
      const compare = (figure: string, actual: string | undefined, expected: string) =>
        comparison.compare(`Logs, ${range}`, `${name}, ${figure}`, actual, expected);
      compare("header", text.match(/([\d.,M]+ requests?), last/)?.[1], plural(sums.requests, "request"));
      if (sums.requests === 0) continue;
      const legend = await readText(opened.page.locator("main figcaption").first());
      for (const each of CLASSES)
        compare(`histogram, ${each}`, legend.match(new RegExp(`${capital(each)} ([\\d.,M]+)`))?.[1], count(sums[each]));
      compare("below the list", text.match(/ of ([\d.,M]+ requests?)/)?.[1], plural(sums.requests, "request"));
    }
  }
}

const stateWords = { active: "Active", cap_reached: "Cap reached" };

/** Compares the list of keys, and the pages of some keys. */
export async function compareKeyPages(
  comparison: Comparison,
  { opened, rows, month, organizationId, now }: Seeded,
): Promise<void> {
  const { page } = opened;
  const accounts = await readAccounts(rows, organizationId, now);
  const spendHead = `Spend in ${now.toLocaleDateString("en-GB", { month: "short", timeZone: "UTC" })}`;
  await opened.open("/keys");
  const { rows: shown, foot } = await readNamedTable(page, "API keys");
  comparison.compare("Keys", "number", foot?.Name, plural(accounts.keys.length, "key"));
  const spent = accounts.keys.reduce((sum, key) => sum + key.thisMonth.cost, 0n);
  comparison.compare("Keys", "spend this month", foot?.[spendHead], totalMoney(spent));
  for (const { name, teamName, state, thisMonth, budget } of accounts.keys) {
    const row = shown.find((each) => each.Name === name);
    comparison.compare("Keys", `${name}, team`, row?.Team, teamName);
    comparison.compare("Keys", `${name}, spend this month`, row?.[spendHead], moneyBeside(spent)(thisMonth.cost));
    comparison.compare("Keys", `${name}, state`, row?.Status, stateWords[state]);
    if (budget !== null) comparison.compare("Keys", `${name}, cap`, row?.Cap?.startsWith(money(budget.limit)), true);
  }
  for (const name of ["nightly-evals", "live-traffic", "live-spent", "support-copilot"]) {
    const key = accounts.keys.find((each) => each.name === name);
    if (key === undefined) throw new Error(`no key ${name}`);
    await opened.open(`/keys/${key.id}?range=30d`);
    const figures = await readFigures(page);
    const sums = await rows.sum(month, `key = '${key.id}'`);
    const text = await readText(page.locator("main"));
    const compare = (figure: string, actual: string | undefined, expected: string) =>
      comparison.compare(`Key ${name}`, figure, actual, expected);
    compare("spend", figures.get("Spend"), money(sums.cost));
    compare("requests", figures.get("Requests"), count(sums.requests));
    compare("refused", text.match(/([\d.,M]+) refused/)?.[1], count(sums.refused));
    const rate = errorRate(sums);
    compare("success rate", figures.get("Success rate"), rate === null ? "–" : share(1 - rate, 2));
    compare("input tokens", figures.get("Input tokens"), count(sums.input));
    compare("output tokens", figures.get("Output tokens"), count(sums.output));
    compare("total spend", text.match(/Total spend (\S+)/)?.[1], exactMoney(key.total.cost));
    if (key.budget !== null) {
      compare("budget used", text.match(/Spend cap (\S+) of/)?.[1], money(key.budget.spent));
      compare("budget", text.match(/Spend cap \S+ of (\S+)/)?.[1], money(key.budget.limit));
    }
    const chart = await readChart(page, "Spend by day");
    compare("spend by day, total", chart.foot?.Total, totalMoney(sums.cost));
    for (const model of await rows.sumBy("model", month, `key = '${key.id}'`)) {
      if (model.cost === 0n) continue;
      compare(`spend by day, ${model.name}`, chart.foot?.[model.name], moneyBeside(sums.cost)(model.cost));
    }
  }
}

/** Compares the list of teams, the pages of some teams, and the members. */
export async function compareTeamPages(
  comparison: Comparison,
  { opened, rows, organizationId, now }: Seeded,
): Promise<void> {
  const { page } = opened;
  const accounts = await readAccounts(rows, organizationId, now);
  const spendHead = `Spend in ${now.toLocaleDateString("en-GB", { month: "short", timeZone: "UTC" })}`;
  await opened.open("/teams");
  const { rows: shown } = await readNamedTable(page, "Teams");
  comparison.compare("Teams", "number", shown.length, accounts.teams.length);
  const beside = moneyBeside(accounts.teams.reduce((sum, team) => sum + team.thisMonth.cost, 0n));
  for (const { name, members, keys, thisMonth, budget } of accounts.teams) {
    const row = shown.find((each) => each.Name === name);
    comparison.compare("Teams", `${name}, members`, row?.Members, String(members));
    comparison.compare("Teams", `${name}, keys`, row?.Keys, String(keys));
    comparison.compare("Teams", `${name}, spend this month`, row?.[spendHead], beside(thisMonth.cost));
    const cap = budget === null ? "No cap" : money(budget.limit);
    comparison.compare("Teams", `${name}, cap`, row?.Cap?.startsWith(cap), true);
  }
  for (const name of ["Data Science", "Search", "Support"]) {
    const team = accounts.teams.find((each) => each.name === name);
    if (team === undefined) throw new Error(`no team ${name}`);
    await opened.open(`/teams/${team.id}`);
    const compare = (figure: string, actual: string | undefined, expected: string) =>
      comparison.compare(`Team ${name}`, figure, actual, expected);
    const keys = await readNamedTable(page, "Team keys");
    compare("keys", keys.foot?.Name, plural(team.keys, "key"));
    compare("spend of keys", keys.foot?.[spendHead], totalMoney(team.thisMonth.cost));
    for (const key of accounts.keys.filter(({ teamId }) => teamId === team.id)) {
      const row = keys.rows.find((each) => each.Name === key.name);
      compare(`${key.name}, spend this month`, row?.[spendHead], moneyBeside(team.thisMonth.cost)(key.thisMonth.cost));
      compare(`${key.name}, state`, row?.Status, stateWords[key.state]);
    }
    const members = await readNamedTable(page, "Team members");
    compare("members", members.foot?.Name, plural(team.members, "member"));
    compare("spend of members", members.foot?.[spendHead], totalMoney(team.thisMonth.cost));
    const chart = await readChart(page, "Spend by day");
    compare("spend by day", chart.foot?.Total, totalMoney(team.thisMonth.cost));
  }
  await opened.open("/members");
  const members = await readNamedTable(page, "Members");
  comparison.compare("Members", "rows", members.rows.length, accounts.members);
  const text = await readText(page.locator("main"));
  comparison.compare("Members", "number below the list", text.match(/of (\d+) members/)?.[1], String(accounts.members));
}

type Burn = Operations["getBurnRate"]["answer"]["burn"];

/** Compares the credits page. Its burn rate is the one of the response that it shows, which the API comparison checks. */
export async function compareCreditsPage(comparison: Comparison, { opened, rows }: Seeded): Promise<void> {
  const { page } = opened;
  const response = page.waitForResponse(/\/api\/credits\/burn/);
  await opened.open("/credits");
  const { burn } = (await (await response).json()) as { burn: Pick<Burn, "perDay" | "daysLeft"> };
  const ledger = await rows.ledger();
  const balance = [...ledger.values()].reduce((sum, { amount }) => sum + amount, 0n);
  const of = (kind: string) => ledger.get(kind)?.amount ?? 0n;
  const text = await readText(page.locator("main"));
  const compare = (figure: string, actual: string | undefined, expected: string) =>
    comparison.compare("Credits", figure, actual, expected);
  const figures = await readFigures(page);
  compare("balance", figures.get("Balance"), money(balance));
  compare("available", figures.get("Available"), money(balance));
  compare("burn rate", figures.get("Burn rate, 7-day average"), `${money(BigInt(burn.perDay))} per day`);
  compare("days left", text.match(/([\d.]+) days left/)?.[1], burn.daysLeft?.toFixed(1) ?? "");
  const signed = (nano: bigint) => `${nano > 0n ? "+" : ""}${exactMoney(nano)}`;
  for (const [label, amount] of [
    ["Purchased", of("purchase")],
    ["Granted", of("grant")],
    ["Used", of("usage")],
    ["Refunded", of("refund")],
  ] as const) {
    compare(label.toLowerCase(), text.match(new RegExp(`${label} ([+−]?\\$[\\d.,]+)`))?.[1], signed(amount));
  }
  const orders = await readNamedTable(page, "Orders");
  const purchases = await rows.query<{ id: string; amount: string; status: string }>(
    "select id, amount::text as amount, status from purchases order by created_at desc",
  );
  compare("orders", String(orders.rows.length), String(purchases.length));
  const words: Readonly<Record<string, string>> = { paid: "Credited", expired: "Expired" };
  for (const [index, { amount, status }] of purchases.entries()) {
    compare(`order ${index + 1}, amount`, orders.rows[index]?.Amount, money(BigInt(amount)));
    compare(
      `order ${index + 1}, status`,
      orders.rows[index]?.Status?.replace(/not paid$/, ""),
      words[status] ?? status,
    );
  }
  const entries = await readNamedTable(page, "Ledger");
  const shown = entries.rows.reduce((sum, row) => {
    const amount = String(row["Amount (USD)"]).replaceAll(/[+$,]/g, "").replace("−", "-");
    return sum + readPlainMoney(amount);
  }, 0n);
  compare("sum of all entries", exactMoney(shown), exactMoney(balance));
  compare("balance after the last entry", entries.rows[0]?.["Balance after"], exactMoney(balance));
}

const healthWords: Readonly<Record<string, string>> = { healthy: "Healthy", degraded: "Degraded", down: "Down" };

type Board = Operations["getDeploymentHealth"]["answer"];

/** Compares the health page with the rows of the time that its response names. */
export async function compareHealthPage(comparison: Comparison, { opened, rows }: Seeded): Promise<void> {
  const { page } = opened;
  const response = page.waitForResponse(/\/api\/gw\/health\/deployments/);
  await opened.open("/health");
  const { deployments } = (await (await response).json()) as Board;
  const cells = deployments[0]?.cells ?? [];
  const from = new Date(String(cells[0]?.at));
  const day = { from, to: new Date(from.getTime() + cells.length * 15 * 60_000) };
  const sums = await rows.sumBy("model || ' ' || provider", day, DELIVERED);
  const { rows: shown } = await readNamedTable(page, "Models");
  const recent = await rows.sumBy(
    "model || ' ' || provider",
    { from: new Date(Date.now() - 3_600_000), to: day.to },
    DELIVERED,
  );
  for (const own of sums) {
    const row = shown.find(({ Model }) => Model === own.name);
    // Requests that no provider served, such as those from the response cache, belong to no deployment.
    if (own.name.endsWith(" ")) continue;
    const compare = (figure: string, actual: string | undefined, expected: string) =>
      comparison.compare("Health", `${own.name}, ${figure}`, actual, expected);
    compare("requests", row?.Requests, count(own.requests));
    const rate = errorRate(own);
    compare("success rate", row?.Success, rate === null ? "–" : share(1 - rate, 2));
    compare("median", row?.Median, duration(percentile(own, 0.5) ?? 0));
    compare("95th percentile", row?.p95, duration(percentile(own, 0.95) ?? 0));
    const health = healthOf(recent.find(({ name }) => name === own.name) ?? NO_SUMS);
    const isCooling = row?.Status?.startsWith("In cooldown") === true;
    compare("status", isCooling ? healthWords[health] : row?.Status, healthWords[health] ?? health);
  }
  const chart = await readChart(page, "Requests");
  const served = sums.filter(({ name }) => !name.endsWith(" "));
  const total = (name: "succeeded" | "failed") => count(served.reduce((sum, each) => sum + each[name], 0));
  comparison.compare("Health", "chart, succeeded", chart.foot?.Succeeded, total("succeeded"));
  comparison.compare("Health", "chart, failed", chart.foot?.Failed, total("failed"));
}

/** Compares the context size and the success rate of models on the hub with the API and LiteLLM's paths. */
export async function compareModels(
  comparison: Comparison,
  { opened, platform, instance, rows, runCommand }: Seeded,
): Promise<void> {
  const { page } = opened;
  const { models } = await platform.call("listHubModels");
  await opened.open("/model_hub_table?search=");
  const { rows: shown } = await readNamedTable(page, "Models");
  const listed = JSON.parse(await runCommand("models", "list", "--all", "--json")) as {
    data: readonly { id: string; contextWindow: number | null }[];
  };
  const lines = (await runCommand("models", "list", "--all")).split("\n").map((line) => line.split("\t"));
  const answer = await fetch(`${instance.url}/model/info`, { headers: { "x-gw-api-key": instance.apiKey } });
  const info = (await answer.json()) as {
    data: readonly { model_name: string; model_info: { max_input_tokens: number | null } }[];
  };
  const called = await rows.query<{ model: string }>("select distinct model_group as model from usage_events");
  for (const { id, contextWindow } of models.filter((model) => called.some((each) => each.model === model.id))) {
    const text = contextWindow === null ? "–" : contextSize(contextWindow);
    comparison.compare("Model hub", `${id}, context`, shown.find(({ Model }) => Model === id)?.Context, text);
    comparison.compare(
      "CLI models, JSON",
      `${id}, context`,
      listed.data.find((each) => each.id === id)?.contextWindow,
      contextWindow,
    );
    comparison.compare("CLI models", `${id}, context`, lines.find(([name]) => name === id)?.[3], text);
    const detail = info.data.find(({ model_name: name }) => name === id);
    comparison.compare(
      "LiteLLM model info",
      `${id}, context`,
      detail?.model_info.max_input_tokens ?? null,
      contextWindow,
    );
  }
}
