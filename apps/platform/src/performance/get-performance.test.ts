import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import { type CallOptions, DAY_MS, startReports, type TestReports } from "../usage/usage.fixture.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape.
type Shown = any;

const HOUR_MS = 3_600_000;
const test = engines.extend("reports", ({ database }) => startReports(database));

async function read(reports: TestReports, query = "", token = reports.owner.token): Promise<Shown> {
  const answer = await reports.platform.api("GET", `/api/gw/performance${query}`, { token });
  expect(answer.status).toBe(200);
  return answer.body;
}

const pairOf = ({ performance }: Shown, model: string) => performance.find((pair: Shown) => pair.model === model);

/** A streamed call that takes 1,000 ms, including 100 ms before the first token. */
const streamed = (changes: CallOptions = {}): CallOptions => ({
  isStream: true,
  latencyMs: 1_000,
  firstTokenMs: 100,
  gatewayBeforeUs: 500,
  queueUs: 1_500,
  failedUs: 0,
  gatewayAfterUs: 1_000,
  ...changes,
});

describe("performance report", () => {
  test("shows request counts, latency, and median timing for each model and provider", async ({ reports }) => {
    await reports.settle([
      ...[100, 200, 400].map((firstTokenMs) => streamed({ modelGroup: "fast", firstTokenMs })),
      streamed({ modelGroup: "fast", status: "failure", httpStatus: 503, errorCode: "overloaded", firstTokenMs: null }),
      streamed({ modelGroup: "fast", provider: "azure" }),
      streamed({ modelGroup: "slow", latencyMs: 20_000 }),
    ]);
    const report = await read(reports);
    expect(report.performance.map(({ model, provider }: Shown) => `${model} ${provider}`)).toEqual([
      "fast openai",
      "fast azure",
      "slow openai",
    ]);
    const [fast] = report.performance;
    expect(fast).toMatchObject({ requests: 4, failed: 1, successRate: 0.75, medianFirstTokenMs: 200 });
    expect(fast.medianTiming).toEqual({
      gatewayBeforeMs: 0.5,
      queueMs: 1.5,
      failedMs: 0,
      firstTokenMs: 198,
      generationMs: 799,
      gatewayAfterMs: 1,
    });
    expect(fast.lastError).toMatchObject({ httpStatus: 503, errorCode: "overloaded" });
    expect(pairOf(report, "slow")).toMatchObject({ lastError: null, successRate: 1 });
    expect(pairOf(report, "slow").p95LatencyMs).toBeGreaterThan(15_000);
  });

  test("computes output tokens per second from the time after the first token", async ({ reports }) => {
    const usage = { ...NO_USAGE, outputTokens: 90 };
    await reports.settle([
      streamed({ modelGroup: "stream", usage, cost: 0n, priceVersionId: null }),
      { modelGroup: "whole", usage, cost: 0n, priceVersionId: null, latencyMs: 1_000, firstTokenMs: 1_000 },
    ]);
    const report = await read(reports);
    expect(pairOf(report, "stream").outputTokensPerSecond).toBeCloseTo(100);
    expect(pairOf(report, "whole").outputTokensPerSecond).toBeCloseTo(90);
  });

  test.for([
    [24, 15, 96],
    [168, 120, 84],
    [720, 480, 90],
  ] as const)(
    "covers %i hours with contiguous cells that include every call",
    async ([hours, minutes, count], { reports }) => {
      const span = hours * HOUR_MS;
      await reports.settle([0, span / 2, span - minutes * 60_000, span + HOUR_MS].map((agoMs) => streamed({ agoMs })));
      const { performance, meta } = await read(reports, `?hours=${hours}`);
      expect(meta).toMatchObject({ cellMinutes: minutes });
      const [pair] = performance;
      expect([pair.requests, pair.cells.length]).toEqual([3, count]);
      expect(pair.cells.reduce((sum: number, { requests }: Shown) => sum + requests, 0)).toBe(3);
      expect(pair.cells.at(-1).requests).toBe(1);
      const starts = pair.cells.map(({ at }: Shown) => Date.parse(at));
      expect(starts.every((at: number, index: number) => at === starts[0] + index * minutes * 60_000)).toBe(true);
      expect([starts[0], Date.parse(meta.endDate)]).toEqual([Date.parse(meta.startDate), starts[0] + span]);
    },
  );

  test("returns the same result for days with and without rollups", async ({ reports, database }) => {
    await reports.settle([1, 3, 5, 6].map((days) => streamed({ agoMs: days * DAY_MS, status: "success" })));
    const before = await read(reports, "?hours=168");
    const day = new Date(Date.now() - 5 * DAY_MS).toISOString().slice(0, 10);
    await querySql(database.connectionString, `select sum_up_day('${day}')`);
    expect(await read(reports, "?hours=168")).toEqual(before);
    expect(before.performance[0].requests).toBe(4);
  });

  test("finds timings for a rare model among many calls to another model", async ({ reports }) => {
    await reports.settle([streamed({ modelGroup: "rare", agoMs: 3 * HOUR_MS, firstTokenMs: 321 })]);
    for (let batch = 0; batch < 3; batch += 1) {
      await reports.settle(Array.from({ length: 2_000 }, () => streamed({ modelGroup: "crowd" })));
    }
    const report = await read(reports);
    expect(pairOf(report, "crowd").requests).toBe(6_000);
    expect(pairOf(report, "rare").medianFirstTokenMs).toBe(321);
  });

  test("counts calls that are older than the log retention, but excludes them from timings", async ({ reports }) => {
    await reports.settle([streamed({ agoMs: 20 * DAY_MS }), streamed({ agoMs: 20 * DAY_MS, status: "failure" })]);
    await runAsAdministrator(reports.platform.services.db, (transaction) =>
      transaction
        .updateTable("organizations")
        .set({ log_retention_days: 7 })
        .where("id", "=", reports.owner.organizationId)
        .execute(),
    );
    const [pair] = (await read(reports, "?hours=720")).performance;
    expect(pair).toMatchObject({ requests: 2, medianFirstTokenMs: null, medianTiming: null, lastError: null });
  });

  test("shows a median but no timing breakdown for calls without measured times", async ({ reports }) => {
    await reports.settle([{ firstTokenMs: 70 }]);
    const [pair] = (await read(reports)).performance;
    expect(pair).toMatchObject({ medianFirstTokenMs: 70, medianTiming: null });
  });
});

describe("performance report access", () => {
  test("is limited to the caller's teams, and members of other organizations see no calls", async ({ reports }) => {
    const other = await reports.addTeam("other");
    await reports.settle([streamed({ modelGroup: "ours" }), streamed({ modelGroup: "theirs", teamId: other })]);
    const { organizationId, teamId } = reports.owner;
    const member = await reports.platform.addMember(organizationId, "member", { [teamId]: "member" });
    expect((await read(reports, "", member.token)).performance.map(({ model }: Shown) => model)).toEqual(["ours"]);
    const stranger = await reports.platform.addUser();
    expect((await read(reports, "", stranger.token)).performance).toEqual([]);
  });

  test("is limited to administrators for the report across all organizations", async ({ reports }) => {
    await reports.settle([
      streamed({ modelGroup: "everywhere" }),
      streamed({ modelGroup: "everywhere", status: "failure" }),
    ]);
    const refused = await reports.platform.api("GET", "/api/gw/performance?scope=all", { token: reports.owner.token });
    expect(refused).toMatchObject({ status: 403, body: { details: { reason: "ADMIN_REQUIRED" } } });
    const administrator = await reports.platform.addUser({ role: "admin" });
    const report = await read(reports, "?scope=all&hours=168", administrator.token);
    expect(pairOf(report, "everywhere")).toMatchObject({ requests: 2, failed: 1, medianFirstTokenMs: 100 });
    expect(pairOf(report, "everywhere").lastError).not.toBeNull();
  });
});
