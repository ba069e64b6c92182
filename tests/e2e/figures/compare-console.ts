import type { Operations } from "@tollgate/sdk/platform";
import { readPlainMoney } from "./compare-api.ts";
import { DELIVERED, healthOf } from "./compare-health.ts";
import type { Comparison } from "./comparison.ts";
import { capital } from "./console-labels.ts";
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
import { readChart, readFigures, readNamedTable, readText } from "./read-page.ts";
import { CLASSES, errorRate, NO_SUMS, percentile } from "./read-rows.ts";

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
