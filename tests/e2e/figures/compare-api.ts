import type { Operations } from "@tollgate/sdk/platform";
import type { Comparison } from "./comparison.ts";
import type { Seeded } from "./figures-test.ts";
import { plainMoney } from "./format-figure.ts";
import { averageCost, CLASSES, cacheHitRate, errorRate, NO_SUMS, percentile, type Sums } from "./read-rows.ts";

type UsageQuery = NonNullable<Operations["getUsage"]["query"]>;
type LogsQuery = NonNullable<Operations["listLogs"]["query"]>;
type UsageSums = Operations["getUsage"]["answer"]["totals"];

/** Groupings of usage reports, with the expression of each over the rows. */
const groupings = {
  model: "model",
  provider: "provider",
  team: "team",
  apiKey: "key",
  endpoint: "endpoint",
  day: "to_char(at at time zone 'UTC', 'YYYY-MM-DD')",
} as const;

/** Compares the sums of one usage report or one of its groups. */
export function compareSums(comparison: Comparison, source: string, figure: string, sums: UsageSums, rows: Sums): void {
  const compare = (name: string, actual: number | bigint | null, expected: number | bigint | null) =>
    comparison.compare(source, `${figure} ${name}`, actual, expected);
  compare("requests", sums.requests, rows.requests);
  for (const name of CLASSES) compare(name, sums[name], rows[name]);
  compare("error rate", sums.errorRate, errorRate(rows));
  compare("input tokens", sums.promptTokens, rows.input);
  compare("cached tokens", sums.cachedTokens, rows.cached);
  compare("output tokens", sums.completionTokens, rows.output);
  compare("reasoning tokens", sums.reasoningTokens, rows.reasoning);
  compare("spend", sums.cost, rows.cost);
  compare("average cost", sums.avgCost, averageCost(rows));
  compare("cache hit rate", sums.cacheHitRate, cacheHitRate(rows));
  compare("cache savings", sums.cacheSaved, rows.saved);
  compare("median latency", sums.p50LatencyMs, percentile(rows, 0.5));
  compare("95th percentile", sums.p95LatencyMs, percentile(rows, 0.95));
  compare("99th percentile", sums.p99LatencyMs, percentile(rows, 0.99));
}

/** Compares usage reports by every grouping and with every filter. */
export async function compareUsage(comparison: Comparison, { platform, rows, month, keys }: Seeded): Promise<void> {
  const time = { startDate: month.from.toISOString(), endDate: month.to.toISOString(), timezone: "UTC" };
  const all = await rows.sum(month);
  for (const [grouping, expression] of Object.entries(groupings)) {
    const groupBy = [grouping as keyof typeof groupings];
    const { data, totals } = await platform.call("getUsage", { query: { ...time, groupBy } });
    compareSums(comparison, "API usage", `by ${grouping}, total`, totals, all);
    const sums = await rows.sumBy(expression, month);
    comparison.compare("API usage", `number of groups by ${grouping}`, data.length, sums.length);
    for (const { group, ...group_ } of data) {
      const name = group[grouping] ?? "";
      const own = sums.find((each) => each.name === name) ?? NO_SUMS;
      compareSums(comparison, "API usage", `by ${grouping} ${name}`, { ...group_ }, own);
    }
  }
  const creator = (
    await rows.query<{ id: number }>("select id from users where email = 'jonas.okafor@acme.example'")
  )[0];
  const filters: readonly (readonly [name: string, query: Partial<UsageQuery>, where: string])[] = [
    ["of one model", { model: ["gpt-4.1"] }, "model = 'gpt-4.1'"],
    ["of two models", { model: ["gpt-4.1", "broken-chat"] }, "model in ('gpt-4.1', 'broken-chat')"],
    ["of one provider", { provider: ["groq"] }, "provider = 'groq'"],
    ["of one team", { teamId: [keys.teamId] }, `team = '${keys.teamId}'`],
    ["of one key", { apiKey: [keys.busy] }, `key = '${keys.busy}'`],
    [
      "of one user's keys",
      { userId: [Number(creator?.id)] },
      `key in (select id from api_keys where user_id = ${creator?.id})`,
    ],
    [
      "of one team's model",
      { teamId: [keys.teamId], model: ["llama-3.3-70b"] },
      `team = '${keys.teamId}' and model = 'llama-3.3-70b'`,
    ],
  ];
  for (const [name, query, where] of filters) {
    const { totals } = await platform.call("getUsage", { query: { ...time, ...query, groupBy: ["model"] } });
    compareSums(comparison, "API usage", name, totals, await rows.sum(month, where));
  }
}

/** Returns the values of one row that has a session and was sent to a deployment, for filters that find it. */
async function readValues({
  rows,
  month,
}: Seeded): Promise<Readonly<Record<"session" | "deployment" | "request", string>>> {
  const columns = "session, deployment, request_id as request";
  const [row] = await rows.list<Readonly<Record<"session" | "deployment" | "request", string>>>(
    columns,
    month,
    "session is not null and deployment is not null",
  );
  if (row === undefined) throw new Error("no request has a session and a deployment");
  return row;
}

/** Compares the counts of the log, its histogram, and its file, with every filter. */
export async function compareLogs(comparison: Comparison, seeded: Seeded): Promise<void> {
  const { platform, rows, month, keys, now, fetchText } = seeded;
  const { session, deployment, request } = await readValues(seeded);
  const [creator] = await rows.query<{ id: number }>("select id from users where email = 'jonas.okafor@acme.example'");
  const minutes = { from: new Date(now.getTime() - 7 * 3_600_000 - 11_111), to: new Date(now.getTime() + 60_000) };
  const filters: readonly (readonly [name: string, query: LogsQuery, where: string, isShort?: boolean])[] = [
    ["all", {}, "true"],
    ["all of some hours", {}, "true", true],
    ...CLASSES.map((name) => [name, { class: [name] }, `class = '${name}'`] as const),
    ["failed and rejected", { class: ["failed", "rejected"] }, "class in ('failed', 'rejected')"],
    ["rejected of some hours", { class: ["rejected"] }, "class = 'rejected'", true],
    ["one model", { model: ["gpt-4.1"] }, "model = 'gpt-4.1'"],
    ["one key", { apiKey: [keys.busy] }, `key = '${keys.busy}'`],
    ["one team", { teamId: [keys.teamId] }, `team = '${keys.teamId}'`],
    ["one provider", { provider: ["groq"] }, "provider = 'groq'"],
    ["embeddings", { endpoint: ["embeddings"] }, "endpoint = 'embeddings'"],
    ["streamed", { stream: true }, "is_stream"],
    ["not streamed", { stream: false }, "not is_stream"],
    ["cached", { cached: true }, "is_cached"],
    ["not cached", { cached: false }, "not is_cached"],
    ["one error code", { errorCode: ["model_not_found"] }, "error_code = 'model_not_found'"],
    ["expensive", { minCost: 20_000_000n }, "cost >= 20000000"],
    ["slow", { minLatencyMs: 5_000 }, "latency_ms >= 5000"],
    ["one session", { session }, `session = '${session}'`],
    ["one deployment", { deploymentId: [deployment] }, `deployment = '${deployment}'`],
    ["one request", { requestId: [request] }, `request_id = '${request}'`],
    [
      "one user's keys",
      { userId: [Number(creator?.id)] },
      `key in (select id from api_keys where user_id = ${creator?.id})`,
    ],
    ["found by a code", { search: "budget" }, "error_code like '%budget%'"],
    ["found by an ID", { search: keys.rejectedId }, `request_id like '${keys.rejectedId}%'`],
  ];
  for (const [name, query, where, isShort = false] of filters) {
    const range = isShort ? minutes : month;
    const time = { startDate: range.from.toISOString(), endDate: range.to.toISOString() };
    const { meta, histogram } = await platform.call("listLogs", {
      query: { ...time, ...query, include: ["histogram"], pageSize: 1 },
    });
    const sums = await rows.sum(range, where);
    comparison.compare("API logs", `${name}, requests`, meta.counts.requests, sums.requests);
    for (const each of CLASSES) {
      comparison.compare("API logs", `${name}, ${each}`, meta.counts[each], sums[each]);
      const bars = histogram?.buckets.reduce((sum, bucket) => sum + bucket[each], 0);
      comparison.compare("API histogram", `${name}, ${each}`, bars, sums[each]);
    }
    comparison.compare("API logs", `${name}, rows`, meta.total, sums.rows);
  }
  await compareLogFile(comparison, seeded, await fetchText(`/api/gw/logs?format=csv&${timeOf(month)}`));
}

const timeOf = ({ from, to }: Seeded["month"]): string => `startDate=${from.toISOString()}&endDate=${to.toISOString()}`;

/** Compares the sums over the lines of a CSV file of the log. */
async function compareLogFile(comparison: Comparison, { rows, month }: Seeded, text: string): Promise<void> {
  const lines = readCsv(text);
  const sums = await rows.sum(month);
  comparison.compare("CSV of the log", "rows", lines.length, sums.rows);
  const sum = (own: readonly CsvLine[], column: string) => own.reduce((total, line) => total + Number(line[column]), 0);
  comparison.compare("CSV of the log", "requests", sum(lines, "weight"), sums.requests);
  for (const name of CLASSES) {
    const own = lines.filter((line) => line.class === name);
    comparison.compare("CSV of the log", name, sum(own, "weight"), sums[name]);
  }
  comparison.compare("CSV of the log", "input tokens", sum(lines, "promptTokens"), sums.input);
  comparison.compare("CSV of the log", "cached tokens", sum(lines, "cachedTokens"), sums.cached);
  comparison.compare("CSV of the log", "output tokens", sum(lines, "completionTokens"), sums.output);
  const cost = lines.reduce((total, line) => total + readPlainMoney(String(line.costUsd ?? line.cost)), 0n);
  comparison.compare("CSV of the log", "spend", cost, sums.cost);
}

type CsvLine = Readonly<Record<string, string>>;

/** Reads a CSV file whose cells have no line breaks. */
export function readCsv(text: string): readonly CsvLine[] {
  const [head = [], ...lines] = text
    .trim()
    .split(/\r?\n/)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""),
    );
  return lines.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ""])));
}

/** Reads an amount in dollars. */
export function readPlainMoney(text: string): bigint {
  const [dollars = "", decimals = ""] = text.replace("-", "").split(".");
  const nano = BigInt(dollars) * 1_000_000_000n + BigInt(decimals.padEnd(9, "0"));
  return text.startsWith("-") ? -nano : nano;
}

/** Compares the balance, what it is made of, and how long it lasts. */
export async function compareCredit(
  comparison: Comparison,
  { platform, rows, month, fetchText }: Seeded,
): Promise<void> {
  const { quota } = await platform.call("getQuota");
  const ledger = await rows.ledger();
  const of = (kind: string) => ledger.get(kind)?.amount ?? 0n;
  const balance = [...ledger.values()].reduce((sum, { amount }) => sum + amount, 0n);
  comparison.compare("API quota", "balance", quota.balance, balance);
  comparison.compare("API quota", "purchased", quota.totalPurchased, of("purchase"));
  comparison.compare("API quota", "granted", quota.totalGranted, of("grant"));
  comparison.compare("API quota", "used", quota.totalUsed, -of("usage") - of("usage_reversal"));
  comparison.compare("API quota", "refunded", quota.totalRefunded, -of("refund"));
  const ever = { from: new Date(0), to: month.to };
  comparison.compare("API quota", "used, and the cost of all requests", quota.totalUsed, (await rows.sum(ever)).cost);
  comparison.compare("API quota", "balance in USD", quota.usd.balance, plainMoney(balance));

  const earlier = Date.now();
  const { burn } = await platform.call("getBurnRate");
  const later = Date.now();
  comparison.compare("API burn rate", "balance", burn.balance, balance);
  const days = await rows.sumBy(groupings.day, month);
  for (const { day, cost } of burn.days) {
    const spent = days.find(({ name }) => name === day)?.cost ?? 0n;
    comparison.compare("API burn rate", `spend of ${day}`, cost, spent);
  }
  const since = new Date(`${burn.days[0]?.day}T00:00:00Z`).getTime();
  const spent = Number((await rows.sum({ from: new Date(since), to: month.to })).cost);
  const perDayAt = (atMs: number) => (spent * 86_400_000) / (atMs - since);
  const perDay = [perDayAt(later) - 1, perDayAt(earlier) + 1] as const;
  comparison.compareBetween("API burn rate", "per day", Number(burn.perDay), perDay);
  const left = perDay.map((each) => Number(balance) / each) as [number, number];
  comparison.compareBetween("API burn rate", "days left", burn.daysLeft ?? Number.NaN, left);
  comparison.compare("API burn rate", "runway", burn.runway, "days");

  const orders = await rows.query<{ status: string; count: number; amount: string }>(
    "select status, count(*)::float8 as count, sum(amount)::text as amount from purchases group by 1",
  );
  const { data, meta } = await platform.call("listPurchases", { query: { pageSize: 100 } });
  comparison.compare(
    "API orders",
    "number",
    meta.total,
    orders.reduce((sum, { count }) => sum + count, 0),
  );
  for (const { status, count, amount } of orders) {
    const own = data.filter((each) => each.status === status);
    comparison.compare("API orders", `${status}, number`, own.length, count);
    const sum = own.reduce((total, each) => total + each.amount, 0n);
    comparison.compare("API orders", `${status}, amount`, sum, BigInt(amount));
  }
  const lines = readCsv(await fetchText("/api/credits/transactions?format=csv"));
  comparison.compare(
    "CSV of the ledger",
    "entries",
    lines.length,
    [...ledger.values()].reduce((sum, { entries }) => sum + entries, 0),
  );
  for (const [kind, { amount, entries }] of ledger) {
    const own = lines.filter((line) => line.kind === kind);
    comparison.compare("CSV of the ledger", `${kind}, entries`, own.length, entries);
    const sum = own.reduce((total, line) => total + readPlainMoney(String(line.amountUsd ?? line.amount)), 0n);
    comparison.compare("CSV of the ledger", `${kind}, amount`, sum, amount);
  }
  const strip = await platform.call("getUsageReconciliation", {
    query: { startDate: month.from.toISOString(), endDate: month.to.toISOString() },
  });
  const { cost } = await rows.sum(month);
  comparison.compare("API reconciliation", "rollups", strip.rollups.cost, cost);
  comparison.compare("API reconciliation", "logs", strip.logs.cost, cost);
  comparison.compare("API reconciliation", "ledger", strip.ledger.cost, cost);
  comparison.compare("API reconciliation", "difference", strip.difference, 0n);
}
