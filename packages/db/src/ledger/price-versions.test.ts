import { billingUnits } from "@tollgate/domain/pricing/billing-units.ts";
import { cacheSavings } from "@tollgate/domain/pricing/cache-savings.ts";
import { fixPrice } from "@tollgate/domain/pricing/fix-price.ts";
import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { anyPico, fixedPricesOf, pricesOf, usagesUpTo } from "@tollgate/domain/pricing/prices.fixture.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { test } from "@tollgate/testkit/test.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../connect.ts";
import { ensurePriceVersions } from "./price-versions.ts";

const MODEL = "openai/fast";
const counters = billingUnits.map(({ name }) => sql.ref(name));
const anyUsage = usagesUpTo(2 ** 33);
const anyPrice = fc.oneof(
  pricesOf(anyPico),
  fc.tuple(pricesOf(anyPico), fixedPricesOf(anyPico)).map(([standard, fixed]) => fixPrice(standard, fixed)),
);

/** Number of calls that are priced in both ways. The nightly run has 100,000. */
const CASES = Number(process.env.PRICE_CASES ?? 1_500);
const PRICES = 150;
const LIMIT_MS = 600_000;
const usagesPerPrice = { minLength: Math.ceil(CASES / PRICES), maxLength: Math.ceil(CASES / PRICES) };

test(
  "stores every kind of price once, and prices every kind of call the way the gateway does",
  async ({ database }) => {
    const db = database.connect("tollgate_gateway");
    await fc.assert(
      fc.asyncProperty(anyPrice, fc.array(anyUsage, usagesPerPrice), async (price, usages) => {
        const id = await keep(db, price);
        await keep(db, price);
        const costs = usages.map((usage) => priceCall(usage, price));
        expect(await priceInDatabase(db, id, usages)).toEqual(costs);
        const savings = usages.map((usage) => cacheSavings(usage, price));
        expect(await savingsInDatabase(db, id, usages)).toEqual(savings);
      }),
      { numRuns: PRICES },
    );
  },
  LIMIT_MS,
);

const most = Number.MAX_SAFE_INTEGER;
const largest: readonly (Partial<Usage> & { readonly what: string })[] = [
  { what: "input", inputTokens: most },
  { what: "cached input", cacheReadTokens: most },
  { what: "written input", cacheWriteTokens: most },
  { what: "output", outputTokens: most },
  { what: "reasoning", outputTokens: most, reasoningTokens: most },
  { what: "audio input", inputTokens: most, audioInputTokens: most },
  { what: "audio output", outputTokens: most, audioOutputTokens: most },
  { what: "characters", characters: most },
  { what: "milliseconds", audioMs: most },
  { what: "images", images: most },
  { what: "searches", searches: most },
  { what: "one-hour cache writes", cacheWriteTokens: most, longCacheWriteTokens: most },
  { what: "web searches", webSearches: most },
];

test.for(largest)(
  "prices the largest countable $what the way the gateway does",
  async ({ what, ...used }, { database }) => {
    const db = database.connect("tollgate_gateway");
    const price = tokenPrice(1_001n, 1_003n, {
      cacheRead: 7n,
      cacheWrite: 2_009n,
      reasoning: 3_011n,
      audioInput: 1n,
      audioOutput: 4_001n,
      perCharacter: 13n,
      perSecond: 1_000_001n,
      perImage: 17n,
      perSearch: 19n,
      perWebSearch: 23n,
      longCacheWrite: 3_001n,
      tier: {
        aboveInputTokens: 2 ** 40,
        input: 2_002n,
        output: null,
        cacheRead: 15n,
        cacheWrite: null,
        longCacheWrite: 4_003n,
      },
    });
    const usage = { ...NO_USAGE, ...used };
    expect(await priceInDatabase(db, await keep(db, price), [usage])).toEqual([priceCall(usage, price)]);
  },
);

test("rejects a price under the version ID of another price", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const price = tokenPrice(1n, 2n, { cacheWrite: 0n });
  const id = priceVersionId(MODEL, price);
  for (const other of [{ cacheRead: 0n }, { perImage: 0n }, { audioInput: 1n }]) {
    const version = { id, model: MODEL, price: { ...price, ...other } };
    await expect(ensurePriceVersions(db, [version])).rejects.toThrow("does not follow");
  }
});

test("stores the condition of a price, which is part of its ID", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const price = tokenPrice(1n, 2n);
  const condition = "service tier priority, peak hours";
  const id = priceVersionId(MODEL, price, condition);
  await ensurePriceVersions(db, [{ id, model: MODEL, price, condition }]);
  const { rows } = await sql`select condition from price_versions where id = ${id}`.execute(db);
  expect(rows).toEqual([{ condition }]);
  await expect(ensurePriceVersions(db, [{ id, model: MODEL, price }])).rejects.toThrow("does not follow");
});

async function keep(db: Database, price: Price): Promise<string> {
  const id = priceVersionId(MODEL, price);
  await ensurePriceVersions(db, [{ id, model: MODEL, price }]);
  return id;
}

async function savingsInDatabase(db: Database, id: string, usages: readonly Usage[]): Promise<bigint[]> {
  const rows = usages.map((usage) => Object.fromEntries(billingUnits.map(({ name, column }) => [column, usage[name]])));
  const { rows: found } = await sql<{ saved: bigint }>`
    select cache_savings(jsonb_populate_record(null::usage_events, used.value), price) as saved
      from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) with ordinality as used, price_versions as price
     where price.id = ${id}
     order by ordinality`.execute(db);
  return found.map(({ saved }) => saved);
}

async function priceInDatabase(db: Database, id: string, usages: readonly Usage[]): Promise<bigint[]> {
  const { rows } = await sql<{ cost: bigint }>`
    select price_of_call(price, ${sql.join(counters)}) as cost
      from rows from (jsonb_to_recordset(${JSON.stringify(usages)}::jsonb)
        as (${sql.join(counters.map((counter) => sql`${counter} bigint`))}))
        with ordinality as used, price_versions as price
     where price.id = ${id}
     order by ordinality`.execute(db);
  return rows.map(({ cost }) => cost);
}
