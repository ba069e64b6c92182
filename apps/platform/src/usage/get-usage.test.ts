import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { DAY_MS, startReports } from "./usage.fixture.ts";

test("usage totals match the calls, with daily rollups for closed days and quarter-hour rollups for other days", async ({
  database,
}) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { platform, owner } = reports;
  const other = await reports.addKey(owner.teamId, "other");
  const calls = Array.from({ length: 60 }, (_, index) => ({
    agoMs: Math.floor((index * 5 * DAY_MS) / 60) + 1_000,
    modelGroup: `model-${index % 2}`,
    provider: index % 3 === 0 ? "acme" : "openai",
    keyId: index % 4 === 0 ? other.keyId : reports.keyId,
    status: index % 10 === 0 ? ("failure" as const) : ("success" as const),
    cost: BigInt(index + 1),
    latencyMs: 10 * (index + 1),
  }));
  await reports.settle(calls);
  const usage = async (query: string) =>
    (await platform.api("GET", `/api/gw/usage?${query}`, { token: owner.token })).body;
  const before = await Promise.all(["", "groupBy=hour,model", "groupBy=day,apiKey"].map(usage));
  await querySql(
    database.connectionString,
    "select sum_up_day(current_date - days) from generate_series(2, 4) as days",
  );
  const after = await Promise.all(["", "groupBy=hour,model", "groupBy=day,apiKey"].map(usage));
  const sumsOf = ({ data, totals }: { data: unknown; totals: unknown }) => ({ data, totals });
  expect(after.map(sumsOf)).toEqual(before.map(sumsOf));

  const total = (60n * 61n) / 2n;
  expect(after[0].totals).toMatchObject({
    requests: 60,
    ...{ succeeded: 54, failed: 6, refused: 0, rejected: 0, canceled: 0, errorRate: 0.1 },
    promptTokens: Number(total),
    completionTokens: 0,
    cost: Number(total),
    avgCost: 34, // 1,830 for 54 succeeded requests are 33.9.
    cacheHitRate: 0,
    cacheSaved: 0,
    usd: { cost: "0.000001830", avgCost: "0.000000034", cacheSaved: "0.000000000" },
  });
  const byModel = await usage("groupBy=model&provider=acme");
  expect(byModel.data.map(({ group, requests }: { group: object; requests: number }) => [group, requests])).toEqual([
    [{ model: "model-0" }, 10],
    [{ model: "model-1" }, 10],
  ]);
  const byKey = await usage(`groupBy=apiKey&apiKey=${other.apiKey}`);
  expect(byKey.data).toHaveLength(1);
  expect(byKey.data[0]).toMatchObject({ group: { apiKey: other.keyId }, requests: 15 });
  const days = after[0].data.map(({ group }: { group: { day: string } }) => group.day);
  expect(days).toEqual(days.toSorted());
  expect(days.at(-1)).toBe(new Date().toISOString().slice(0, 10));
});

test("usage totals have the hit rate and the savings of prompt caches by model, key, and day", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { platform, owner, worker } = reports;
  const price = tokenPrice(1_000_000n, 0n, { cacheRead: 100_000n, cacheWrite: 1_250_000n });
  const version = { id: priceVersionId("acme/cached", price), model: "acme/cached", price };
  await ensurePriceVersions(worker, [version]);
  const call = (modelGroup: string, used: object) => {
    const usage = { ...NO_USAGE, ...used };
    return { modelGroup, usage, cost: priceCall(usage, price), priceVersionId: version.id };
  };
  await reports.settle([
    call("reads", { inputTokens: 10, cacheReadTokens: 90 }),
    call("reads", { inputTokens: 100 }),
    call("writes", { cacheWriteTokens: 100 }),
  ]);
  const usage = async (groupBy: string) =>
    (await platform.api("GET", `/api/gw/usage?groupBy=${groupBy}`, { token: owner.token })).body;
  const byModel = await usage("model");
  expect(byModel.data).toMatchObject([
    { group: { model: "reads" }, cacheHitRate: 0.45, cacheSaved: 81_000, usd: { cacheSaved: "0.000081000" } },
    { group: { model: "writes" }, cacheHitRate: 0, cacheSaved: -25_000 },
  ]);
  for (const groupBy of ["apiKey", "day"]) {
    expect((await usage(groupBy)).totals).toMatchObject({ cacheHitRate: 0.3, cacheSaved: 56_000 });
  }
});

test("percentiles fall into the same histogram bucket as the exact values", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  // A hundred calls that take 40 to 4,000 ms, with a median of 2,000 ms.
  await reports.settle(Array.from({ length: 100 }, (_, index) => ({ latencyMs: 40 * (index + 1) })));
  const { body } = await reports.platform.api("GET", "/api/gw/usage", { token: reports.owner.token });
  expect(body.totals.p50LatencyMs).toBeGreaterThanOrEqual(1_900);
  expect(body.totals.p50LatencyMs).toBeLessThanOrEqual(2_100);
  expect(body.totals.p95LatencyMs).toBeGreaterThanOrEqual(3_600);
  expect(body.totals.p95LatencyMs).toBeLessThanOrEqual(4_000);
});

test("unsupported query parameters are rejected with an error that names the field", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const ask = async (path: string) => {
    const { status, body } = await reports.platform.api("GET", path, { token: reports.owner.token });
    return [status, Object.keys(body.details?.fields ?? {})[0] ?? body.details?.reason];
  };
  expect(await ask("/api/gw/usage?groupBy=day,model,team")).toEqual([400, "groupBy"]);
  expect(await ask("/api/gw/usage?groupBy=color")).toEqual([400, "groupBy.0"]);
  expect(await ask("/api/gw/usage?class=failed")).toEqual([400, "class"]);
  expect(await ask("/api/gw/usage?cached=true")).toEqual([400, "cached"]);
  expect(await ask("/api/gw/usage?userId=99999999999")).toEqual([400, "userId.0"]);
  expect(await ask("/api/gw/logs?startDate=2026-02-30")).toEqual([400, "startDate"]);
  expect(await ask("/api/gw/logs?startDate=yesterday00")).toEqual([400, "startDate"]);
  expect(await ask("/api/gw/logs?startDate=2026-03-02&endDate=2026-03-01T00:00:00Z")).toEqual([400, "startDate"]);
  expect(await ask("/api/gw/logs?startDate=2026-01-01&endDate=2026-04-03")).toEqual([400, "startDate"]);
  expect(await ask("/api/gw/logs?startDate=2026-01-01&endDate=2026-04-02")).toEqual([200, undefined]);
  expect(await ask("/api/gw/logs?endDate=9999-12-31&userId=1")).toEqual([200, undefined]);
  expect(await ask("/api/gw/usage?endDate=9999-12-31")).toEqual([200, undefined]);
  expect(await ask("/api/gw/logs?page=1001&pageSize=100")).toEqual([400, "page"]);
  expect(await ask("/api/gw/logs?page=1000&pageSize=100")).toEqual([200, undefined]);
  expect(await ask("/api/gw/logs?sort=-model")).toEqual([400, "sort"]);
  expect(await ask("/api/gw/logs?minCost=1.5")).toEqual([400, "minCost"]);
  expect(await ask("/api/gw/logs?cursor=nonsense")).toEqual([400, "cursor"]);
  expect(await ask("/api/gw/logs?class=lost")).toEqual([400, "class.0"]);
  expect(await ask(`/api/gw/logs?apiKey=${encodeURIComponent("sk-tg-AA…zzzz")}`)).toEqual([400, "MASKED_KEY"]);
  expect(await ask("/api/gw/logs?apiKey=sk-unknown")).toEqual([200, undefined]);
});

test("usage by endpoint and session has the same totals as by model, and names the most expensive ones", async ({
  database,
}) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { platform, owner } = reports;
  const price = tokenPrice(1_000n, 2_000n, { cacheRead: 100n });
  const versionId = priceVersionId("cached", price);
  await ensurePriceVersions(reports.worker, [{ id: versionId, model: "cached", price }]);
  const usage = { ...NO_USAGE, inputTokens: 300, cacheReadTokens: 700, outputTokens: 50 };
  await reports.settle([
    // One session per cent, so that the cheapest ones have no group of their own.
    ...Array.from({ length: 60 }, (_, index) => ({
      agoMs: 3_600_000 + index,
      session: `task-${index + 1}`,
      cost: BigInt(index + 1),
      endpoint: index % 2 === 0 ? "chat.completions" : "embeddings",
      latencyMs: 40 * (index + 1),
    })),
    { agoMs: 3_600_000, usage, cost: priceCall(usage, price), priceVersionId: versionId, session: "cached" },
    { agoMs: 3_600_000, status: "failure", httpStatus: 400, errorCode: "context_length_exceeded" },
    { agoMs: 3_600_000, status: "client_disconnect", httpStatus: 499 },
  ]);
  await reports.refuse("rate_limit_exceeded", { session: "task-60" });
  await reports.refuse("rate_limit_exceeded", { weight: 40 });
  const read = async (query: string) =>
    (await platform.api("GET", `/api/gw/usage?${query}`, { token: owner.token })).body;
  const [byModel, byEndpoint, bySession, byBoth] = await Promise.all(
    ["model", "endpoint", "session", "session,day"].map((by) => read(`groupBy=${by}`)),
  );
  expect(byModel.totals).toMatchObject({ requests: 104, succeeded: 61, rejected: 1, canceled: 1, refused: 41 });
  expect(byModel.totals.cacheSaved).toBeGreaterThan(0);
  for (const report of [byEndpoint, bySession, byBoth]) expect(report.totals).toEqual(byModel.totals);
  expect(byEndpoint.data.map(({ group }: { group: object }) => group)).toEqual([
    { endpoint: "chat.completions" },
    { endpoint: "embeddings" },
  ]);
  const named = new Map(bySession.data.map((row: { group: { session: string } }) => [row.group.session, row]));
  expect(named.get("task-60")).toMatchObject({ requests: 2, succeeded: 1, refused: 1, cost: 60 });
  // 50 sessions, and one row for the requests without a session and for the 11 cheapest ones.
  expect(bySession.data).toHaveLength(51);
  expect(bySession.data.filter(({ isOther }: { isOther?: boolean }) => isOther)).toMatchObject([
    { group: { session: "" }, requests: 11 + 42, cost: (11 * 12) / 2 },
  ]);
  expect((await read("groupBy=session&startDate=2026-01-01&endDate=2026-01-02")).details.fields).toEqual({
    startDate: expect.stringContaining("must not be before"),
  });
});
