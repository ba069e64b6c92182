import { crockfordToUuid, uuidToCrockford } from "@tollgate/domain/ids.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { firstIdAt, timeOfId } from "./read-calls.ts";
import { DAY_MS, dayOf, findSumParts, startOf, type TimeRange } from "./sum-parts.ts";

/** Cost of the same calls according to three sources. */
interface CostBySource {
  readonly rollups: { readonly cost: NanoUsd; readonly buckets: number };
  /** `unbilled` is the part that isn't charged and therefore isn't in the ledger. */
  readonly logs: { readonly cost: NanoUsd; readonly rows: number; readonly unbilled: NanoUsd };
  readonly ledger: { readonly cost: NanoUsd; readonly postings: number };
}

/** Maximum lead of a gateway's clock over the database clock. */
const CLOCK_SKEW_MS = 10 * 60_000;

/**
 * Reads an organization's cost for a time range from each source. The range must start and end on a 15-minute boundary.
 */
export async function compareCostSources(
  transaction: TenantTransaction,
  organizationId: string,
  time: TimeRange,
): Promise<CostBySource> {
  return {
    rollups: await readRollups(transaction, organizationId, time),
    logs: await readLogs(transaction, organizationId, time),
    ledger: await readLedger(transaction, organizationId, time),
  };
}

/** Sums the rollups as reports do, using daily rows for whole days. */
async function readRollups(transaction: TenantTransaction, organizationId: string, time: TimeRange) {
  const { days, gaps } = await findSumParts(transaction, organizationId, time);
  const parts = [
    sql`select cost from usage_days where organization_id = ${organizationId} and day = any (${days}::date[])`,
    ...gaps.map(
      ({ fromMs, toMs }) => sql`
        select cost from usage_rollups
         where organization_id = ${organizationId} and bucket_at >= ${new Date(fromMs)} and bucket_at < ${new Date(toMs)}`,
    ),
  ];
  const { rows } = await sql<{ cost: bigint; buckets: number }>`
    select coalesce(sum(cost), 0)::bigint as cost, count(*)::float8 as buckets
      from (${sql.join(parts, sql` union all `)}) as sums`.execute(transaction);
  return rows[0] as { cost: bigint; buckets: number };
}

/** Sums the calls themselves, day by day. For whole closed days, uses the recorded totals of their rows. */
async function readLogs(transaction: TenantTransaction, organizationId: string, time: TimeRange) {
  const { rows: sealed } = await sql<{ day: string; rows: number; cost: bigint; billed: bigint }>`
    select day::text, events::float8 as rows, cost, billed from usage_day_seals
     where organization_id = ${organizationId} and day >= ${dayOf(time.fromMs)}::date and day < ${dayOf(time.toMs)}::date
  `.execute(transaction);
  const seals = new Map(sealed.map((seal) => [seal.day, seal]));
  let [cost, rows, billed] = [0n, 0, 0n];
  for (let atMs = time.fromMs; atMs < time.toMs; ) {
    const day = dayOf(atMs);
    const endMs = Math.min(time.toMs, startOf(day) + DAY_MS);
    const isWhole = endMs - atMs === DAY_MS;
    const read =
      (isWhole ? seals.get(day) : undefined) ?? (await readDay(transaction, organizationId, day, atMs, endMs));
    cost += read.cost;
    rows += read.rows;
    billed += read.billed;
    atMs = endMs;
  }
  return { cost, rows, unbilled: cost - billed };
}

async function readDay(
  transaction: TenantTransaction,
  organizationId: string,
  day: string,
  fromMs: number,
  toMs: number,
): Promise<{ rows: number; cost: bigint; billed: bigint }> {
  const { rows } = await sql<{ rows: number; cost: bigint; billed: bigint }>`
    select count(*)::float8 as rows, coalesce(sum(cost), 0)::bigint as cost,
           coalesce(sum(cost) filter (where is_billed), 0)::bigint as billed
      from usage_events
     where organization_id = ${organizationId} and day = ${day}::date
       and id >= ${firstIdAt(fromMs)}::uuid and id < ${firstIdAt(toMs)}::uuid`.execute(transaction);
  return rows[0] as { rows: number; cost: bigint; billed: bigint };
}

/**
 * Sums the ledger's charges for calls in the time range. One transaction charges all calls that were settled together,
 * and its ID is derived from the first call's ID. If a transaction crosses the start or end of the range, the cost of
 * its calls outside the range is subtracted.
 */
async function readLedger(transaction: TenantTransaction, organizationId: string, { fromMs, toMs }: TimeRange) {
  const [firstName, endName] = [transactionNameAt(fromMs), transactionNameAt(toMs)];
  const reachesOver = sql`(t.id < ${firstName} or t.created_at >= ${new Date(toMs - CLOCK_SKEW_MS)})`;
  const found = sql`
    from ledger_transactions as t join ledger_postings as posting on posting.transaction_id = t.id
   where t.organization_id = ${organizationId} and t.kind = 'usage' and t.id < ${endName}
     and t.created_at >= ${new Date(fromMs - CLOCK_SKEW_MS)}`;
  const { rows: inside } = await sql<{ cost: bigint; postings: number }>`
    select coalesce(sum(posting.amount), 0)::bigint as cost, count(*)::float8 as postings
    ${found} and not ${reachesOver}`.execute(transaction);
  const { rows: ends } = await sql<{ firstName: string | null; lastAt: Date }>`
    select min(t.id) as "firstName", max(t.created_at) as "lastAt" ${found} and ${reachesOver}`.execute(transaction);
  const [end] = ends;
  if (end === undefined || end.firstName === null) return inside[0] as { cost: bigint; postings: number };
  // All calls in these transactions are within these days. Without this condition, hundreds of partitions would be
  // read.
  const firstDay = dayOf(timeOfId(crockfordToUuid(end.firstName.slice(4)) as string));
  const lastDay = dayOf(end.lastAt.getTime() + CLOCK_SKEW_MS);
  const { rows: across } = await sql<{ cost: bigint; postings: number }>`
    with over as materialized (
      select t.id, t.created_at, posting.amount ${found} and ${reachesOver}
    ), parted as (
      select over.id, over.amount, count(*) filter (where ${isInside(fromMs, toMs)}) as calls,
             coalesce(sum(event.cost) filter (where not ${isInside(fromMs, toMs)}), 0) as outside
        from over left join usage_events as event
          on event.transaction_id = over.id and event.day between ${firstDay}::date and ${lastDay}::date
       group by over.id, over.amount
    )
    select coalesce(sum(amount - outside), 0)::bigint as cost, count(*)::float8 as postings
      from parted where calls > 0`.execute(transaction);
  const [whole, parts] = [inside[0], across[0]];
  return {
    cost: (whole?.cost ?? 0n) + (parts?.cost ?? 0n),
    postings: (whole?.postings ?? 0) + (parts?.postings ?? 0),
  };
}

const isInside = (fromMs: number, toMs: number) =>
  sql`(event.id >= ${firstIdAt(fromMs)}::uuid and event.id < ${firstIdAt(toMs)}::uuid)`;

/**
 * Returns the first possible transaction ID at the given time. IDs are ordered by the first call that each transaction
 * charges.
 */
const transactionNameAt = (atMs: number): string => `txn_${uuidToCrockford(firstIdAt(atMs))}`;
