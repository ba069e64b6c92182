import { cacheSavings } from "@tollgate/domain/pricing/cache-savings.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { ensurePriceVersions } from "../ledger/price-versions.ts";
import { settleUsage } from "../ledger/settle-usage.ts";
import { closeDay, ensureUsagePartitions } from "../ledger/usage-partitions.ts";
import { makeEvent, writeHistory } from "../ledger/verify/ledger-history.fixture.ts";

const DAY_MS = 86_400_000;
const MODEL = "acme/cached";
const price = tokenPrice(3_000_000n, 15_000_000n, {
  cacheRead: 300_000n,
  cacheWrite: 3_750_000n,
  longCacheWrite: 6_000_000n,
  tier: { aboveInputTokens: 2_000, input: 6_000_000n, output: null, cacheRead: 600_000n, cacheWrite: null },
});
const priceId = priceVersionId(MODEL, price);

test("rollups have the savings of prompt caches, and events can be summed by any column", async ({ database }) => {
  const { payer, nodeId, epoch } = await writeHistory(database);
  const db = database.connect("tollgate_worker");
  await ensurePriceVersions(db, [{ id: priceId, model: MODEL, price }]);
  const atMs = Date.now() - 2 * DAY_MS;
  const day = new Date(atMs).toISOString().slice(0, 10);
  await ensureUsagePartitions(db, day, day);
  const counters = [
    { cacheReadTokens: 0, cacheWriteTokens: 0, longCacheWriteTokens: 0 },
    { cacheReadTokens: 0, cacheWriteTokens: 901, longCacheWriteTokens: 300 },
    { cacheReadTokens: 901, cacheWriteTokens: 7, longCacheWriteTokens: 0 },
    { cacheReadTokens: 2_001, cacheWriteTokens: 0, longCacheWriteTokens: 0 },
  ];
  const events = counters.map((cached, index) => {
    const made = makeEvent({ tenant: payer, atMs: atMs + index, outputTokens: 3, nodeId, epoch, fromLease: 0n });
    const usage = { ...made.usage, ...cached };
    const cost = priceCall(usage, price);
    return { ...made, usage, cost, hold: cost, priceVersionId: priceId, modelGroup: `cached-${index % 2}` };
  });
  const outcomes = await settleUsage(db, events);
  expect([...outcomes.values()]).toEqual(events.map(() => "settled"));

  const expected = [0, 1].map((group) => ({
    model_group: `cached-${group}`,
    saved: String(
      events.filter((_, index) => index % 2 === group).reduce((sum, { usage }) => sum + cacheSavings(usage, price), 0n),
    ),
  }));
  expect(Number(expected[0]?.saved)).toBeGreaterThan(0);
  const summed = (table: string) =>
    querySql(
      database.connectionString,
      `select model_group, sum(cache_saved)::text as saved from ${table}
        where model_group like 'cached-%' group by 1 order by 1`,
    );
  expect(await summed("usage_rollups")).toEqual(expected);
  expect(
    await querySql(
      database.connectionString,
      `select model_group, sum(cache_savings(event, price))::text as saved
         from usage_events as event join price_versions as price on price.id = event.price_version_id
        where model_group like 'cached-%' group by 1 order by 1`,
    ),
  ).toEqual(expected);

  expect(await closeDay(db, day)).toBe("sealed");
  for (const table of ["usage_hours", "usage_days"]) expect(await summed(table)).toEqual(expected);
});
