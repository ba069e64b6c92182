import { BURN_DAYS } from "@tollgate/domain/figures/project-burn.ts";
import { type LocalMark, listLocalDays } from "@tollgate/domain/local-time.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { everyCall, QUARTER_MS } from "../usage/call-filter.ts";
import { beginWideReport } from "../usage/report-scope.ts";
import { DAY_MS } from "../usage/sum-parts.ts";
import { sourcesOf } from "../usage/sum-sources.ts";

/** An organization's recent spending, and what limits further spending. */
interface BurnFacts {
  readonly timezone: string;
  /** Days in the organization's time zone, oldest first. The last day is incomplete. */
  readonly days: readonly { readonly day: string; readonly cost: NanoUsd }[];
  /** Spend on these days. */
  readonly spent: NanoUsd;
  /** Start of the first of these days, or the organization's creation if that is later. */
  readonly since: Date;
  /** Time at which teams were blocked for lack of credit; null if no team is blocked. */
  readonly blockedSince: Date | null;
  /** Purchases that are not credited yet, newest first. */
  readonly pendingPurchases: readonly { readonly id: string; readonly amount: NanoUsd; readonly status: string }[];
}

const PENDING_AT_MOST = 20;
/** The payment provider closes unpaid checkout pages after this long. */
const PENDING_HOURS = 24;

/** Reads the spending as of now, with days in the organization's time zone. */
export async function readBurn(transaction: TenantTransaction, organizationId: string, now: Date): Promise<BurnFacts> {
  const { rows } = await sql<Pick<BurnFacts, "timezone" | "blockedSince"> & { readonly createdAt: Date }>`
    select timezone, created_at as "createdAt",
      (select min(blocked_at) from teams
        where organization_id = ${organizationId} and deleted_at is null and blocked_reason = 'negative_balance'
      ) as "blockedSince"
    from organizations where id = ${organizationId}`.execute(transaction);
  const [facts] = rows;
  if (facts === undefined) throw new Error(`organization ${organizationId} is not visible`);
  const { createdAt, timezone, blockedSince } = facts;
  const pendingPurchases = await listPending(transaction, organizationId, now);
  // One extra day, because local days can be longer than 24 hours.
  const marks = listLocalDays(timezone, now.getTime() - (BURN_DAYS + 1) * DAY_MS, now.getTime() + 1).slice(-BURN_DAYS);
  const days = await sumDays(transaction, organizationId, marks, now);
  const spent = days.reduce((sum, { cost }) => sum + cost, 0n);
  const since = new Date(Math.max(createdAt.getTime(), marks[0]?.atMs ?? 0));
  return { timezone, blockedSince, days, spent, since, pendingPurchases };
}

async function sumDays(
  transaction: TenantTransaction,
  organizationId: string,
  marks: readonly LocalMark[],
  now: Date,
): Promise<BurnFacts["days"]> {
  await beginWideReport(transaction);
  const from = new Date(marks[0]?.atMs ?? now);
  const to = new Date(Math.floor(now.getTime() / QUARTER_MS + 1) * QUARTER_MS);
  const starts = marks.map(({ atMs }) => atMs);
  const times = starts.map((atMs) => new Date(atMs));
  const sources = await sourcesOf(transaction, { ...everyCall, organizationId, from, to }, starts, {
    settled: (at) => sql`width_bucket(${at}, ${times}::timestamptz[]) as day, cost`,
    refused: null,
  });
  const { rows } = await sql<{ day: number; cost: NanoUsd }>`
    select day, sum(cost)::bigint as cost from (${sources}) as sums group by day`.execute(transaction);
  const costs = new Map(rows.map(({ day, cost }) => [day, cost]));
  return marks.map(({ label }, index) => ({ day: label, cost: costs.get(index + 1) ?? 0n }));
}

function listPending(
  transaction: TenantTransaction,
  organizationId: string,
  now: Date,
): Promise<BurnFacts["pendingPurchases"]> {
  return transaction
    .selectFrom("purchases")
    .select(["id", "amount", "status"])
    .where("organization_id", "=", organizationId)
    .where("status", "in", ["pending", "processing"])
    .where("created_at", ">", new Date(now.getTime() - PENDING_HOURS * 3_600_000))
    .orderBy("created_at", "desc")
    .limit(PENDING_AT_MOST)
    .execute();
}
