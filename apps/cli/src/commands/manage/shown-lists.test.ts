import { recorded } from "@tollgate/testkit/recorded-platform.ts";
import { expect, test } from "vitest";
import { startRecorded, useTimeZone } from "../../recorded.fixture.ts";

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const first = <Row>(rows: readonly Row[]): Row => {
  const [row] = rows;
  if (row === undefined) throw new Error("The recording has no row.");
  return row;
};

const bot = recorded("getApiKey").apiKey;
const { team, members } = recorded("getTeam");

test("the key list shows name, team, masked key, status, spending, budget, and last use", async () => {
  const { platform, table, cells } = await startRecorded();
  const spent = { usage: { ...bot.usage, total: 47_000 }, usd: { ...bot.usd, total: "0.000047000" } };
  platform.lists("listApiKeys", [
    { ...bot, ...spent, lastUsedAt: ago(3 * 60 + 5) },
    { ...bot, id: "key_2", name: "idle", team_id: "team_gone", budget: null, lastUsedAt: null, state: "disabled" },
  ]);
  const rows = [
    ["ci-bot", team.name, bot.token, "active", "$0.000047", "$25.00", "3 min ago", bot.id],
    ["idle", "team_gone", bot.token, "disabled", expect.any(String), "none", "never", "key_2"],
  ];
  expect(await table("keys", "list")).toEqual([
    ["NAME", "TEAM", "KEY", "STATUS", "SPENT", "BUDGET", "LAST USED", "ID"],
    ...rows,
  ]);
  expect(await cells("keys", "list")).toEqual(rows);
});

test("filters of the key list are sent as the platform names them", async () => {
  const { platform, succeed } = await startRecorded();
  await succeed(["keys", "list", "--team", "research", "--status", "active", "--status", "expired", "--search", "ci"]);
  expect(platform.asked("listApiKeys")[0]?.query).toEqual({
    teamId: team.id,
    status: ["active", "expired"],
    search: "ci",
    pageSize: "20",
  });
});

test("a key shows its limits, spending, and times", async () => {
  useTimeZone("Europe/Berlin");
  const { platform, cells } = await startRecorded();
  const times = { createdAt: "2026-01-31T23:30:00.000Z", expiresAt: "2026-07-01T00:00:00.000Z", rotatedAt: null };
  const usd = { total: "3.000000000", monthly: "2.500000000", weekly: "0.750000000", daily: "0.000000001" };
  const budget = { ...bot.budget, usd: { ...bot.budget.usd, remaining: "12.500000000" }, resetsAt: times.expiresAt };
  platform.answers("getApiKey", {
    apiKey: { ...bot, ...times, usd, budget, lastUsedAt: ago(86_400 * 2), models: ["a", "b"] },
  });
  expect(await cells("keys", "show", "ci-bot")).toEqual([
    ["name", "ci-bot"],
    ["id", bot.id],
    ["key", bot.token],
    ["status", "active"],
    ["team", team.id],
    ["models", "a, b"],
    ["budget", "$25.00 per day, $12.50 left until 2026-07-01 02:00:00"],
    ["limits", "60 requests per minute"],
    ["spent", "$3.00, $2.50 this month, $0.000000001 today"],
    ["last used", "2 d ago"],
    ["expires", "2026-07-01 02:00:00"],
    ["created", "2026-02-01 00:30:00 by Developer"],
  ]);
});

test("the team list shows roles, counts, and budgets", async () => {
  const { table } = await startRecorded();
  const [other] = recorded("listTeams").data.filter(({ name }) => name === "Default");
  expect(await table("teams", "list")).toEqual([
    ["NAME", "STATUS", "ROLE", "MEMBERS", "KEYS", "BUDGET", "ID"],
    ["Research", "active", "admin", "2", "2", "$500.00 per month", team.id],
    ["Default", "active", "admin", "1", "1", "none", other?.id],
  ]);
});

test("a team shows its limits and its members", async () => {
  const { platform, cells, json } = await startRecorded();
  const remaining = { ...team.budget, usd: { ...team.budget.usd, remaining: "499.950758000" } };
  platform.edits("getTeam", { team: { ...team, budget: remaining } });
  expect(await cells("teams", "show", "Research")).toEqual([
    ["name", "Research"],
    ["id", team.id],
    ["status", "active"],
    ["your role", "admin"],
    ["models", "sim/*"],
    ["budget", "$500.00 per month, $499.95 left"],
    ["limits", "600 requests per minute, 90000 tokens per minute, 8 concurrent requests"],
    ["keys", "2"],
    ["member", "dev@localhost (admin)"],
    ["member", "bo@example.org (admin)"],
  ]);
  expect(await json("teams", "show", "Research")).toMatchObject({ name: "Research", members, invitations: [] });
});

test("the member list shows each member's address, name, and role", async () => {
  useTimeZone("UTC");
  const { platform, table } = await startRecorded();
  platform.lists("listOrganizationMembers", [
    {
      memberId: 7,
      userId: 7,
      email: "ada@example.org",
      name: "Ada",
      role: "owner",
      joinedAt: "2026-02-03T04:05:06.000Z",
    },
  ]);
  expect(await table("members", "list", "--search", "ada")).toEqual([
    ["EMAIL", "NAME", "ROLE", "JOINED", "ID"],
    ["ada@example.org", "Ada", "owner", "2026-02-03 04:05:06", "7"],
  ]);
  expect(platform.asked("listOrganizationMembers")[0]?.query).toEqual({ search: "ada", pageSize: "20" });
});

test("invitations are those sent to the user, and with --sent those of the organization", async () => {
  const { platform, table, succeed } = await startRecorded();
  const invitation = first(recorded("listInvitations").data);
  const expiresAt = new Date(Date.now() + 5 * 86_400_000 + 60_000).toISOString();
  platform.lists("listInvitations", [{ ...invitation, expiresAt }]);
  expect(await table("invitations", "list")).toEqual([
    ["EMAIL", "ORGANIZATION", "TEAM", "ROLE", "STATUS", "EXPIRES", "ID"],
    // The invitation isn't for a team.
    ["bo@example.org", "Local", "admin", "pending", "in 5 d", invitation.id],
  ]);
  expect(platform.asked("listOrganizationInvitations")).toEqual([]);
  await succeed(["invitations", "list", "--sent"]);
  expect(platform.asked("listOrganizationInvitations")).toMatchObject([{ params: { id: invitation.organizationId } }]);
});

test("a usage report shows requests, failures, tokens, latency, and cost, with the most expensive group first", async () => {
  const { platform, cells } = await startRecorded();
  const usage = recorded("getUsage");
  const row = first(usage.data);
  const group = (model: string, cost: string, counts: object) => ({
    ...row,
    group: { model },
    ...counts,
    cost: Math.round(Number(cost) * 1e9),
    usd: { cost, avgCost: "0.000000000" },
  });
  platform.edits("getUsage", {
    data: [
      group("cheap", "0.500000000", {
        requests: 1_194,
        failed: 0,
        promptTokens: 999,
        completionTokens: 0,
        p95LatencyMs: 80,
      }),
      group("expensive", "12.345678900", {
        requests: 3,
        failed: 1,
        promptTokens: 1_500_000,
        completionTokens: 20_000,
        p95LatencyMs: 1530,
      }),
      group("", "0.000000000", {
        requests: 1,
        failed: 0,
        promptTokens: 999_999,
        completionTokens: 1250,
        p95LatencyMs: null,
      }),
    ],
  });
  expect(await cells("usage", "--by", "model")).toEqual([
    ["expensive", "3", "1", "1.5M", "20,000", "1.53 s", "$12.35"],
    ["cheap", "1,194", "0", "999", "0", "80 ms", "$0.50"],
    ["not recorded", "1", "0", "999,999", "1,250", "–", "$0.00"],
  ]);
});

test("a usage report by session says which requests have none, and which row is all others", async () => {
  const { platform, table } = await startRecorded();
  const row = first(recorded("getUsage").data);
  platform.answers("getUsage", {
    ...recorded("getUsage"),
    data: [
      { ...row, group: { session: "task-1" } },
      { ...row, group: { session: "" } },
      { ...row, group: { session: "" }, isOther: true },
    ],
  });
  const rows = (await table("usage", "--by", "session")).slice(-3);
  expect(rows.map(([name]) => name)).toEqual(["task-1", "no session", "other"]);
});

test("a usage report in a terminal has a heading, bars, and totals", async () => {
  useTimeZone("Asia/Tokyo");
  const { platform, cli } = await startRecorded();
  const usage = recorded("getUsage");
  platform.edits("getUsage", { meta: { ...usage.meta, dataUntil: "2026-11-02T20:15:00.000Z" } });
  const { stdout, stderr } = await cli.run(["usage", "--by", "model", "--compare"], { terminal: { columns: 120 } });
  const [heading, paid, echo] = stdout.split("\n");
  expect(heading).toMatch(/^MODEL +REQUESTS +FAILED +TOKENS IN +OUT +P95 +COST$/);
  expect(paid).toMatch(/^sim\/paid +3 +0 +19 +7 +125 ms +\$0\.000047 +█{24}$/);
  expect(echo).toMatch(/^sim\/echo +1 +0 +5 +1 +125 ms +\$0\.00$/);
  expect(stderr).toBe("4 requests · 0 failed · $0.000047 · data until 2026-11-03 05:15, time zone UTC\n");
  expect(platform.asked("getUsage")[0]?.query).toEqual({ groupBy: "model", compare: "previous" });
});

test("a usage report shows the hit rate and the savings of prompt caches if they were used", async () => {
  const { platform, cli } = await startRecorded();
  const usage = recorded("getUsage");
  const usd = { cost: "0.000000000", avgCost: "0.000000000", cacheSaved: "1.500000000" };
  const cache = { cachedTokens: 12, cacheHitRate: 0.634, cacheSaved: 1_500_000_000, usd };
  platform.edits("getUsage", { data: [{ ...first(usage.data), ...cache }], totals: { ...usage.totals, ...cache } });
  const { stdout, stderr } = await cli.run(["usage", "--by", "model"], { terminal: { columns: 160 } });
  const [heading, row] = stdout.split("\n");
  expect(heading).toMatch(/ OUT +CACHED +SAVED +P95 /);
  expect(row).toMatch(/ 63\.4% +\$1\.50 /);
  expect(stderr).toContain(" · 63.4% cached, $1.50 saved · ");
});

test("filters of a usage report are sent as IDs and times", async () => {
  const { platform, succeed, cli } = await startRecorded();
  const args = ["--by", "key,day", "--team", "Research", "--key", "ci-bot", "--model", "sim/paid"];
  await succeed([
    "usage",
    ...args,
    "--since",
    "2026-11-01",
    "--until",
    "2026-11-02T12:00:00Z",
    "--timezone",
    "Europe/Berlin",
  ]);
  expect(platform.asked("getUsage")[0]?.query).toEqual({
    apiKey: bot.id,
    teamId: team.id,
    model: "sim/paid",
    startDate: "2026-11-01T00:00:00.000Z",
    endDate: "2026-11-02T12:00:00.000Z",
    timezone: "Europe/Berlin",
    groupBy: ["apiKey", "day"],
  });
  for (const wrong of [
    ["--by", "color"],
    ["--by", "day,model,team"],
    ["--range", "7d", "--since", "1d"],
  ])
    expect(await cli.run(["usage", ...wrong])).toMatchObject({ code: 2, stdout: "" });
});

test("the log shows time, status, model, key, tokens, cost, and latency of each request", async () => {
  useTimeZone("America/New_York");
  const { platform, table } = await startRecorded();
  const call = first(recorded("listLogs").data);
  const failed = { httpStatus: 429, errorCode: "RATE_LIMITED", apiKeyName: null, latencyMs: 1234, totalTokens: 0 };
  platform.answers("listLogs", {
    data: [
      {
        ...call,
        createdAt: "2026-06-01T02:03:04.000Z",
        totalTokens: 12_345,
        usd: { cost: "0.012345678" },
        latencyMs: 87,
      },
      { ...call, createdAt: "2026-06-01T02:03:04.000Z", ...failed, usd: { cost: "0.000000000" } },
    ],
    meta: recorded("listLogs").meta,
  });
  expect(await table("logs", "list")).toEqual([
    ["TIME", "STATUS", "MODEL", "KEY", "TOKENS", "COST", "LATENCY", "ERROR", "REQUEST"],
    ["2026-05-31 22:03:04", "200", call.model, call.apiKeyName, "12,345", "$0.012346", "87 ms", call.requestId],
    [
      "2026-05-31 22:03:04",
      "429",
      call.model,
      call.apiKeyId,
      "0",
      "$0.000000",
      "1.23 s",
      "RATE_LIMITED",
      call.requestId,
    ],
  ]);
});

test("filters of the log are sent as the platform names them", async () => {
  const { platform, succeed } = await startRecorded();
  const flags = ["--min-cost", "0.01", "--min-latency", "500", "--streamed", "--search", "req_1", "--sort=-cost"];
  await succeed(["logs", "list", ...flags, "--code", "A", "--endpoint", "embeddings", "--provider", "sim", "-n", "5"]);
  expect(platform.asked("listLogs")[0]?.query).toEqual({
    minCost: "10000000",
    minLatencyMs: "500",
    stream: "true",
    search: "req_1",
    sort: "-cost",
    errorCode: "A",
    endpoint: "embeddings",
    provider: "sim",
    pageSize: "5",
  });
});

test("a request shows its cost per unit", async () => {
  const { succeed } = await startRecorded();
  const { log } = recorded("getLog");
  const { stdout } = await succeed(["logs", "show", log.id]);
  expect(stdout).toContain("input\t7\t1.00\t$0.000007\n");
  expect(stdout).toContain("output\t3\t4.00\t$0.000012\n");
});

test("the model list shows context windows and prices per million tokens", async () => {
  const { platform, cells } = await startRecorded();
  const { model } = recorded("getModel");
  platform.lists("listModels", [
    { ...model, contextWindow: 131_072 },
    { ...model, id: "sim/big", contextWindow: 1_000_000 },
    {
      ...model,
      id: "sim/unpriced",
      contextWindow: null,
      pricing: { ...model.pricing, inputPerMillionTokens: null, outputPerMillionTokens: null, usd: {} },
    },
  ]);
  expect(await cells("models", "list", "--type", "chat", "--sort", "inputPrice")).toEqual([
    ["sim/paid", "sim", "chat", "131K", "1.00", "4.00", expect.any(String)],
    ["sim/big", "sim", "chat", "1M", "1.00", "4.00", "–"],
    ["sim/unpriced", "sim", "chat", "–", "–", "–", "–"],
  ]);
  expect(platform.asked("listModels")[0]?.query).toEqual({ type: "chat", sort: "inputPrice", pageSize: "20" });
});

test("a list without rows prints a hint in a terminal and nothing in a pipe", async () => {
  const { platform, cli } = await startRecorded();
  platform.lists("listApiKeys", []);
  expect(await cli.run(["keys", "list"], { terminal: { columns: 80 } })).toEqual({
    code: 0,
    stdout: "",
    stderr: "No keys yet. To create one: tollgate keys create NAME\n",
  });
  expect(await cli.run(["keys", "list"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await cli.run(["keys", "list", "--csv=id,name"])).stdout).toBe("id,name\r\n");
});

test("CSV quotes separators, keeps exact amounts, and makes formulas harmless", async () => {
  const { platform, succeed } = await startRecorded();
  const named = (name: string) => ({ ...bot, name });
  platform.lists("listApiKeys", [named('say "hi", bot'), named("=1+1"), named("two\nlines")]);
  const { stdout } = await succeed(["keys", "list", "--csv=name,budget.limit,models"]);
  expect(stdout).toBe(
    `name,budget.limit,models\r\n"say ""hi"", bot",25000000000,\r\n'=1+1,25000000000,\r\n"two\nlines",25000000000,\r\n`,
  );
});

test("names of other users cannot write control characters to the terminal", async () => {
  const { platform, cells } = await startRecorded();
  platform.lists("listApiKeys", [{ ...bot, name: "a\x1b[31mb\tc" }]);
  expect((await cells("keys", "list"))[0]?.[0]).toBe("a\uFFFD[31mb c");
});
