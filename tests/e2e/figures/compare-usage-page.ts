import { compareDays } from "./compare-home.ts";
import type { Comparison } from "./comparison.ts";
import { capital, modelLabel, rateText } from "./console-labels.ts";
import type { Seeded } from "./figures-test.ts";
import { count, duration, exactMoney, money, moneyBeside, share } from "./format-figure.ts";
import { readAccounts } from "./read-accounts.ts";
import { readChart, readNamedTable, readText, type TableRow } from "./read-page.ts";
import { cacheHitRate, errorRate, percentile, type Sums } from "./read-rows.ts";

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
    model: modelLabel,
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
      modelLabel,
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
