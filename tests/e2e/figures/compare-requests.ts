import { compareSums, readPlainMoney } from "./compare-api.ts";
import type { Comparison, Value } from "./comparison.ts";
import type { Seeded } from "./figures-test.ts";
import { count, duration, exactMoney, money, moneyBeside, moneyWith } from "./format-figure.ts";
import { readFigures, readNamedTable, readTable, readText, type TableRow } from "./read-page.ts";
import { CLASSES, type ClassName, NO_SUMS, type TimeRange } from "./read-rows.ts";

/** Number of requests that each list is compared with. */
const LISTED = 50;
const NONE = "–";
/** Format of the cost of a request in a list. */
const requestMoney = moneyWith(6);

/** One row: a request, or a refusal that stands for many of them. */
interface RequestRow {
  readonly id: string;
  readonly at: Date;
  readonly session: string | null;
  readonly class: ClassName;
  readonly http_status: number;
  readonly request_id: string;
  readonly input: number;
  readonly output: number;
  readonly cost: bigint;
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  readonly transaction_id: string | null;
}

const COLUMNS = `id::text as id, at, session, class, http_status, request_id, input::float8 as input,
  output::float8 as output, cost::text as cost, duration_ms::float8 as duration_ms,
  first_token_ms::float8 as first_token_ms, transaction_id::text as transaction_id`;

/** Reads the rows of a time range, newest first. */
async function readRequests({ rows }: Seeded, range: TimeRange, where = "true"): Promise<readonly RequestRow[]> {
  const found = await rows.list<Omit<RequestRow, "cost"> & { readonly cost: string }>(COLUMNS, range, where);
  return found.map((row) => ({ ...row, cost: BigInt(row.cost) })).toReversed();
}

/** Compares single requests in the console's list, on their own pages, on the command line, and in the API. */
export async function compareRequests(comparison: Comparison, seeded: Seeded): Promise<void> {
  const requests = await readRequests(seeded, seeded.month);
  await compareListedRequests(comparison, seeded, requests);
  await compareRequestPages(comparison, seeded, requests);
  await comparePrintedRequests(comparison, seeded, requests);
}

const costText = ({ class: outcome, cost }: RequestRow): string =>
  cost > 0n || outcome === "succeeded" ? requestMoney(cost) : NONE;
const durationText = (ms: number): string => (ms === 0 ? "<1 ms" : duration(ms));
const tokensText = (tokens: number): string => (tokens === 0 ? NONE : count(tokens));

async function compareListedRequests(
  comparison: Comparison,
  { opened, platform, month, now }: Seeded,
  requests: readonly RequestRow[],
): Promise<void> {
  const failed = requests.filter((request) => request.class === "failed");
  for (const [name, query, expected] of [
    ["all", "", requests],
    ["failed", "&class=failed", failed],
  ] as const) {
    await opened.open(`/logs?range=30d${query}`);
    const { rows: shown } = await readNamedTable(opened.page, "Requests");
    comparison.compare("Logs, list", `${name}, rows`, shown.length, Math.min(LISTED, expected.length));
    for (const [index, row] of shown.entries()) {
      const request = expected[index];
      if (request !== undefined) compareListedRequest(comparison, `${name}, ${index + 1}`, row, request, now);
    }
  }
  await opened.open("/logs?range=30d&sort=-cost");
  const { rows: expensive } = await readNamedTable(opened.page, "Requests");
  const byCost = requests.toSorted((one, other) => (one.cost < other.cost ? 1 : one.cost > other.cost ? -1 : 0));
  for (const [index, row] of expensive.entries()) {
    comparison.compare("Logs, list", `${index + 1} by cost`, row.Cost, requestMoney(byCost[index]?.cost ?? 0n));
  }
  const time = { startDate: month.from.toISOString(), endDate: month.to.toISOString() };
  const { data } = await platform.call("listLogs", { query: { ...time, pageSize: LISTED } });
  comparison.compare("API logs", "listed rows", data.length, LISTED);
  for (const [index, row] of data.entries()) {
    const request = requests[index];
    const compare = (figure: string, actual: Value, expected: Value) =>
      comparison.compare("API logs", `request ${index + 1}, ${figure}`, actual, expected);
    compare("ID", row.requestId, request?.request_id);
    compare("class", row.class, request?.class);
    compare("cost", row.cost, request?.cost);
    compare("input tokens", row.promptTokens, request?.input);
    compare("output tokens", row.completionTokens, request?.output);
    compare("duration", row.latencyMs, request?.duration_ms);
    compare("session", row.session, request?.session);
  }
}

function compareListedRequest(
  comparison: Comparison,
  name: string,
  row: TableRow,
  request: RequestRow,
  now: Date,
): void {
  const compare = (figure: string, expected: string) =>
    comparison.compare("Logs, list", `${name}, ${figure.toLowerCase()}`, row[figure], expected);
  const isToday = request.at.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  const day = request.at.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  compare("Time (UTC)", `${isToday ? "" : `${day} `}${request.at.toISOString().slice(11, 23)}`);
  compare("Status", String(request.http_status));
  compare("Input", tokensText(request.input));
  compare("Output", tokensText(request.output));
  compare("Cost", costText(request));
  compare("First token", request.first_token_ms === null ? NONE : duration(request.first_token_ms));
  compare("Duration", durationText(request.duration_ms));
}

/** Compares the pages of requests of every class, of the most expensive ones, and of one with a session. */
async function compareRequestPages(
  comparison: Comparison,
  { opened }: Seeded,
  requests: readonly RequestRow[],
): Promise<void> {
  const byCost = requests.toSorted((one, other) => (one.cost < other.cost ? 1 : one.cost > other.cost ? -1 : 0));
  const cheapest = byCost.findLast(({ cost }) => cost > 0n);
  const ofClasses = ["succeeded", "failed", "rejected", "canceled"].map((name) =>
    requests.find((request) => request.class === name),
  );
  const chosen = [...byCost.slice(0, 3), cheapest, ...ofClasses, requests.find(({ session }) => session !== null)];
  for (const request of new Set(chosen)) {
    if (request === undefined) {
      comparison.differ("Request", "the instance has none of this class");
      continue;
    }
    await opened.open(`/logs/${request.id}`);
    const main = opened.page.locator("main");
    const section = (title: string) =>
      main.locator("section", { has: opened.page.getByRole("heading", { name: title, exact: true }) }).last();
    const compare = (figure: string, actual: Value, expected: Value) =>
      comparison.compare(`Request, ${request.class}`, `${request.request_id}, ${figure}`, actual, expected);
    const summary = await readText(section("Timing and cost"));
    compare("duration", summary.match(/Timing and cost (.+?) \$/)?.[1], durationText(request.duration_ms));
    compare("cost", summary.match(/ (\$[\d.,]+)/)?.[1], money(request.cost));
    const cost = await readText(section("Cost"));
    if (request.cost === 0n && request.input + request.output === 0) {
      compare("cost of nothing", cost, "Cost No usage and no charge.");
      continue;
    }
    const { rows: lines, foot } = await readTable(section("Cost").locator("table"));
    const amounts = lines.map((line) => readPlainMoney(String(line["Amount (USD)"]).replaceAll(/[$,]/g, "")));
    const counts = (name: RegExp) =>
      lines
        .filter((line) => name.test(line.name ?? ""))
        .reduce((sum, line) => sum + Number(line.Count?.replaceAll(",", "")), 0);
    compare("total cost", foot?.["Amount (USD)"], exactMoney(request.cost));
    compare(
      "sum of the lines",
      amounts.reduce((sum, amount) => sum + amount, 0n),
      request.cost,
    );
    compare("input tokens", counts(/^(Input|Cached|Cache write)/), request.input);
    compare("output tokens", counts(/^(Output|Reasoning)/), request.output);
    compare("ledger transaction", cost.match(/in ledger transaction (\S+)/)?.[1] ?? null, request.transaction_id);
  }
}

/** Compares the lines that the command line prints. */
async function comparePrintedRequests(
  comparison: Comparison,
  { month, runCommand }: Seeded,
  requests: readonly RequestRow[],
): Promise<void> {
  const time = ["--since", month.from.toISOString(), "--until", month.to.toISOString()];
  const printed = await runCommand("logs", "list", ...time, "--limit", String(LISTED));
  const lines = printed.trimEnd().split("\n");
  comparison.compare("CLI logs", "lines", lines.length, LISTED);
  for (const [index, line] of lines.entries()) {
    const cells = line.split("\t");
    const request = requests[index];
    if (request === undefined) break;
    const expected = [
      ["status", 1, String(request.http_status)],
      ["tokens", 4, count(request.input + request.output)],
      ["cost", 5, requestMoney(request.cost)],
      ["duration", 6, duration(request.duration_ms)],
      ["request ID", 8, request.request_id],
    ] as const;
    for (const [figure, at, text] of expected) {
      comparison.compare("CLI logs", `line ${index + 1}, ${figure}`, cells[at], text);
    }
  }
}

interface SessionSums {
  readonly session: string;
  readonly requests: readonly RequestRow[];
  readonly cost: bigint;
  readonly tokens: number;
}

/** Compares the sessions in the API, the console's list, and the pages of the most expensive ones. */
export async function compareSessions(comparison: Comparison, seeded: Seeded): Promise<void> {
  const { opened, platform, month } = seeded;
  const named = await readRequests(seeded, month, "session is not null");
  const sessions = [...Map.groupBy(named, ({ session }) => session ?? "")].map(
    ([session, requests]): SessionSums => ({
      session,
      requests,
      cost: requests.reduce((sum, { cost }) => sum + cost, 0n),
      tokens: requests.reduce((sum, { input, output }) => sum + input + output, 0),
    }),
  );
  const time = { startDate: month.from.toISOString(), endDate: month.to.toISOString() };
  const { data, meta } = await platform.call("listRequestSessions", { query: { ...time, pageSize: 100 } });
  comparison.compare("API sessions", "number", meta.total, sessions.length);
  for (const row of data) {
    const own = sessions.find(({ session }) => session === row.session);
    const compare = (figure: string, actual: Value, expected: Value) =>
      comparison.compare("API sessions", `${row.session}, ${figure}`, actual, expected);
    compare("requests", row.requests, own?.requests.length);
    for (const name of CLASSES) {
      compare(name, row[name], own?.requests.filter((request) => request.class === name).length);
    }
    compare("tokens", row.totalTokens, own?.tokens);
    compare("cost", row.cost, own?.cost);
    compare("first request", row.firstAt, own?.requests.at(-1)?.at.toISOString());
    compare("last request", row.lastAt, own?.requests[0]?.at.toISOString());
  }
  await compareUsageBySession(comparison, seeded, sessions);
  await compareSessionList(comparison, seeded, sessions);
  const byCost = sessions.toSorted((one, other) => (one.cost < other.cost ? 1 : -1));
  for (const own of byCost.slice(0, 3)) {
    await opened.open(`/sessions/requests?session=${encodeURIComponent(own.session)}`);
    const compare = (figure: string, actual: string | undefined, expected: string) =>
      comparison.compare("Session", `${own.session}, ${figure}`, actual, expected);
    const bars = opened.page.getByRole("list", { name: "Session requests" }).getByRole("listitem");
    await bars.first().waitFor();
    const figures = await readFigures(opened.page);
    compare("cost", figures.get("Cost"), money(own.cost));
    compare("requests", figures.get("Requests"), count(own.requests.length));
    compare("tokens", figures.get("Tokens"), count(own.tokens));
    const inOrder = own.requests.toReversed();
    compare("rows of the timeline", String(await bars.count()), String(inOrder.length));
    for (const [index, request] of inOrder.entries()) {
      const text = await readText(bars.nth(index));
      compare(`row ${index + 1}, status`, text.match(/^\d+/)?.[0], String(request.http_status));
      compare(`row ${index + 1}, cost`, text.match(/\S+$/)?.[0], costText(request));
    }
  }
}

/** Compares a usage report by session, in which all but the most expensive sessions are one group. */
async function compareUsageBySession(
  comparison: Comparison,
  { platform, rows, month }: Seeded,
  sessions: readonly SessionSums[],
): Promise<void> {
  const time = { startDate: month.from.toISOString(), endDate: month.to.toISOString(), timezone: "UTC" };
  const { data, totals } = await platform.call("getUsage", { query: { ...time, groupBy: ["session"] } });
  compareSums(comparison, "API usage", "by session, total", totals, await rows.sum(month));
  const own = data.filter(({ isOther }) => isOther !== true).map(({ group }) => group.session ?? "");
  const quoted = own.map((name) => `'${name.replaceAll("'", "''")}'`).join(", ");
  const name = `case when coalesce(session, '') in (${quoted}) then coalesce(session, '') else '(other)' end`;
  const sums = await rows.sumBy(name, month);
  comparison.compare("API usage", "number of groups by session", data.length, sums.length);
  for (const { group, isOther, ...found } of data) {
    const shown = isOther === true ? "(other)" : (group.session ?? "");
    const expected = sums.find((each) => each.name === shown) ?? NO_SUMS;
    compareSums(comparison, "API usage", `by session ${shown}`, found, expected);
  }
  const cheapest = sessions.filter(({ session }) => own.includes(session)).map(({ cost }) => cost);
  const others = sessions.filter(({ session }) => !own.includes(session)).map(({ cost }) => cost);
  const isFirst = others.every((cost) => cheapest.every((each) => each >= cost));
  comparison.compare("API usage", "the most expensive sessions have groups of their own", isFirst, true);
}

async function compareSessionList(
  comparison: Comparison,
  { opened }: Seeded,
  sessions: readonly SessionSums[],
): Promise<void> {
  await opened.open("/sessions?range=30d");
  const { rows: shown } = await readNamedTable(opened.page, "Sessions");
  const text = await readText(opened.page.locator("main"));
  comparison.compare("Sessions", "number", text.match(/of ([\d.,M]+) sessions/)?.[1], count(sessions.length));
  const latest = sessions.slice(0, LISTED);
  const total = latest.reduce((sum, { cost }) => sum + cost, 0n);
  for (const [index, own] of latest.entries()) {
    const row = shown[index];
    const compare = (figure: string, expected: string) =>
      comparison.compare("Sessions", `${own.session}, ${figure.toLowerCase()}`, row?.[figure], expected);
    compare("Session", own.session);
    compare("Requests", count(own.requests.length));
    compare("Failed", count(own.requests.filter((request) => request.class === "failed").length));
    compare("Tokens", count(own.tokens));
    compare("Cost", moneyBeside(total)(own.cost));
  }
}
