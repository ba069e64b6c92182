import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import fc from "fast-check";
import { expect } from "vitest";
import { settleUsage } from "../ledger/settle-usage.ts";
import { closeDay, ensureUsagePartitions } from "../ledger/usage-partitions.ts";
import { runAsAdministrator } from "../tenancy.ts";
import { percentileOf } from "./latency-steps.ts";
import { logRefusedCalls, pruneReports, type RefusedCall, saveContents } from "./write-calls.ts";

const DAY_MS = 86_400_000;

test("closing a day writes its hourly and daily sums", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000_000n);
  const dayStartMs = (Math.floor(Date.now() / DAY_MS) - 3) * DAY_MS;
  const day = new Date(dayStartMs).toISOString().slice(0, 10);
  await ensureUsagePartitions(worker, day, day);
  const events = Array.from({ length: 30 }, (_, index) =>
    makeUsageEvent(tenant, BigInt(index), {
      id: makeUuidV7(dayStartMs + index * 10 * 60_000),
      latencyMs: 40 * index,
      modelGroup: index % 2 === 0 ? "fast" : "slow",
    }),
  );
  await settleUsage(worker, events);
  const ask = <Row>(text: string) => querySql<Row>(database.connectionString, text);
  expect(await ask("select from usage_days")).toEqual([]);
  expect(await closeDay(worker, day)).toBe("sealed");
  const [sums] = await ask<Record<string, string>>(
    "select sum(requests) as requests, sum(cost) as cost, max(max_latency_ms) as slowest, sum(latency_0) as quick from usage_days",
  );
  expect(sums).toEqual({ requests: "30", cost: "435", slowest: 1_160, quick: "2" });
  const hours = await ask<{ requests: string }>(
    "select sum(requests) as requests from usage_hours group by hour_at order by hour_at",
  );
  expect(hours.map(({ requests }) => Number(requests))).toEqual([6, 6, 6, 6, 6]);
});

test("latency buckets match those in the database, and an estimated percentile is in the same bucket as the true value", async ({
  database,
}) => {
  const latencies = [0, 1, 49, 50, 51, 99, 100, 449, 450, 999, 1_000, 5_000, 59_999, 299_999, 300_000, 1_000_000];
  const stepOf = (ms: number) => {
    // Derives the bucket bounds from the percentile function: with a single call in a bucket, percentiles 0 and 1 are
    // the bucket's bounds.
    const steps = Array.from({ length: 20 }, (_, step) => step);
    return steps.filter((step) => {
      const counts = steps.map((candidate) => (candidate === step ? 1 : 0));
      const end = percentileOf(counts, 1, Number.MAX_SAFE_INTEGER) as number;
      const start = percentileOf(counts, 0, Number.MAX_SAFE_INTEGER) as number;
      return ms >= start && ms < end;
    });
  };
  const rows = await querySql<{ ms: number; step: number }>(
    database.connectionString,
    `select ms, latency_step(ms) as step from unnest(array[${latencies.join(", ")}]) as ms`,
  );
  for (const { ms, step } of rows) expect(stepOf(ms), `${ms}`).toEqual([step]);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 400_000 }), { minLength: 1, maxLength: 200 }), (values) => {
      const counts = Array.from({ length: 20 }, () => 0);
      for (const ms of values) counts[stepOf(ms)[0] as number] = (counts[stepOf(ms)[0] as number] as number) + 1;
      const sorted = values.toSorted((one, other) => one - other);
      const truth = sorted[Math.ceil(0.95 * values.length) - 1] as number;
      const read = percentileOf(counts, 0.95, sorted.at(-1) as number) as number;
      expect(read).toBeLessThanOrEqual(sorted.at(-1) as number);
      // At the end of a bucket, the two values can be in adjacent buckets.
      expect(stepOf(truth)[0]).toBeGreaterThanOrEqual((stepOf(read)[0] as number) - 1);
      expect(stepOf(truth)[0]).toBeLessThanOrEqual(stepOf(read)[0] as number);
    }),
    { numRuns: 50 },
  );
});

test("a gateway can write refused calls and contents, but cannot read or change them", async ({ database }) => {
  const gateway = database.connect("tollgate_gateway");
  const worker = database.connect("tollgate_worker");
  const platform = database.connect("tollgate_platform");
  const keeping = await addTenant(platform);
  const other = await addTenant(platform);
  const ask = <Row>(text: string) => querySql<Row>(database.connectionString, text);
  await runAsAdministrator(platform, (transaction) =>
    transaction
      .updateTable("organizations")
      .set({ log_prompts: true, log_retention_days: 5 })
      .where("id", "=", keeping.organizationId)
      .execute(),
  );
  const refusal = (agoMs: number): RefusedCall => ({
    id: makeUuidV7(Date.now() - agoMs),
    organizationId: keeping.organizationId,
    teamId: keeping.teamId,
    keyId: keeping.keyId,
    userId: null,
    requestId: "mine",
    endpoint: "chat.completions",
    modelGroup: "fast",
    isStream: false,
    httpStatus: 429,
    errorCode: "rate_limit_exceeded",
  });
  const [old, recent] = [refusal(91 * DAY_MS), refusal(DAY_MS)];
  await logRefusedCalls(gateway, [old, recent]);
  await logRefusedCalls(gateway, [recent]);
  const contentOf = (organizationId: string, agoMs: number) => ({
    id: makeUuidV7(Date.now() - agoMs),
    organizationId,
    request: "sealed",
    answer: "sealed",
    isCut: false,
  });
  const kept = contentOf(keeping.organizationId, DAY_MS);
  await saveContents(gateway, [
    kept,
    contentOf(keeping.organizationId, 6 * DAY_MS),
    contentOf(other.organizationId, 0),
  ]);
  const stored = await ask<{ id: string; days: number }>(
    "select id, round(extract(epoch from expires_at - now()) / 86400)::integer as days from call_contents order by id",
  );
  // Contents are not stored for the organization that has content logging disabled.
  expect(stored).toHaveLength(2);
  expect(stored.every(({ days }) => days === 5)).toBe(true);
  for (const table of ["refused_calls", "call_contents"] as const) {
    await expect(gateway.selectFrom(table).selectAll().execute()).rejects.toThrow(/permission denied/);
    await expect(gateway.deleteFrom(table).execute()).rejects.toThrow(/permission denied/);
  }

  expect(await pruneReports(worker, 90)).toBe(3); // a call, its rollup, and its content
  expect(await ask("select id from refused_calls")).toEqual([{ id: recent.id }]);
  expect(await ask("select requests from refused_rollups")).toEqual([{ requests: "1" }]);
  expect(await ask("select id from call_contents")).toEqual([{ id: kept.id }]);
});
