import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { type RawBuilder, sql } from "kysely";
import { expect } from "vitest";
import { ensurePriceVersions } from "./price-versions.ts";
import { settleUsage } from "./settle-usage.ts";
import { ensureUsagePartitions } from "./usage-partitions.ts";
import { MODEL, makeEvent, PRICE } from "./verify/ledger-history.fixture.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Los_Angeles",
  "Asia/Tokyo",
  "Australia/Sydney",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "America/St_Johns",
  "Australia/Eucla",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
] as const;
const DAY_MS = 86_400_000;
const DAYS = 4;

interface Sums {
  readonly days: string;
  readonly fromDays: string;
  readonly fromRange: string;
  readonly fromRows: string;
  readonly fromLedger: string;
  readonly areEqualEachDay: boolean;
}

test("the local days of a period sum to the charged total, in every time zone", async ({ database }) => {
  const worker = database.connect("tollgate_worker");
  const tenant = await addTenant(database.connect("tollgate_platform"), { credit: 10n ** 12n });
  const version = { id: priceVersionId(MODEL, PRICE), model: MODEL, price: PRICE };
  await ensurePriceVersions(worker, [version]);
  const endMs = Date.now() - (Date.now() % DAY_MS);
  const startMs = endMs - DAYS * DAY_MS;
  const day = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
  await ensureUsagePartitions(worker, day(startMs), day(endMs));
  // Add calls on both sides of every 15-minute boundary, because a day starts there in some time zone.
  const events = Array.from({ length: DAYS * 96 }, (_, index) => startMs + index * 900_000).flatMap((atMs, index) =>
    [atMs, atMs + 899_999].map((at) =>
      makeEvent({ tenant, atMs: at, outputTokens: index, priceVersionId: version.id }),
    ),
  );
  for (let first = 0; first < events.length; first += 100) await settleUsage(worker, events.slice(first, first + 100));
  const charged = events.reduce((sum, { cost }) => sum + cost, 0n).toString();

  const sums = await worker.transaction().execute(async (transaction) => {
    // Each time zone needs a separate statement over all partitions, and JIT compilation of these statements costs more
    // time than it saves.
    await sql`set local jit = off`.execute(transaction);
    const found = new Map<string, Sums>();
    for (const zone of ZONES) found.set(zone, (await sumsIn(zone).execute(transaction)).rows[0] as Sums);
    return found;
  });
  for (const [zone, { days, ...found }] of sums) {
    expect({ zone, ...found }).toEqual({
      zone,
      fromDays: charged,
      fromRange: charged,
      fromRows: charged,
      fromLedger: charged,
      areEqualEachDay: true,
    });
    expect(Number(days)).toBeGreaterThanOrEqual(DAYS);
  }
});

/** Reads each local day by its own bounds, as a one-day report would. A gap between two days would omit rows. */
function sumsIn(zone: string): RawBuilder<Sums> {
  return sql<Sums>`
    with bounds as (
      select (min(bucket_at) at time zone ${zone})::date as first_day, (max(bucket_at) at time zone ${zone})::date as last_day
      from usage_rollups
    ), days as (
      select day::timestamp at time zone ${zone} as starts_at, (day + interval '1 day')::timestamp at time zone ${zone} as ends_at
      from bounds, generate_series(first_day::timestamp, last_day::timestamp, interval '1 day') as day
    ), of_days as (
      select days.starts_at, days.ends_at,
        (select sum(cost) from usage_rollups where bucket_at >= days.starts_at and bucket_at < days.ends_at) as rolled_up,
        (select sum(cost) from usage_events where time_of_event(id) >= days.starts_at and time_of_event(id) < days.ends_at) as rows
      from days
    )
    select count(*)::text as days, sum(rolled_up)::text as "fromDays", sum(rows)::text as "fromRows",
      (select sum(cost)::text from usage_rollups
        where bucket_at >= (select min(starts_at) from days) and bucket_at < (select max(ends_at) from days)) as "fromRange",
      (select sum(amount)::text from ledger_postings
        where transaction_id in (select transaction_id from usage_events)) as "fromLedger",
      bool_and(rolled_up is not distinct from rows) as "areEqualEachDay"
    from of_days`;
}
