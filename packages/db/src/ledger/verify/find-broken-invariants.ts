import { type AdmissionRule, STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Database } from "../../connect.ts";
import type { Tables } from "../../tables.generated.ts";
import { auditChainHolds } from "./audit-chain.ts";
import { creditIsAudited } from "./audited-credit.ts";
import { rolesAreAudited } from "./audited-roles.ts";
import { balanceInvariants } from "./balances.ts";
import { blocksFollowBalance } from "./blocks.ts";
import { spentEqualsCalls } from "./budget-spending.ts";
import { type CheckpointEvidence, compareCheckpoints } from "./compare-checkpoints.ts";
import { NO_TOTALS, readTotals } from "./count-totals.ts";
import { checkObjects, isRefusal } from "./database-objects.ts";
import { entryInvariants } from "./entries.ts";
import type { CheckReport, Difference, Invariant, Scope, Totals } from "./invariant.ts";
import { leaseInvariants } from "./leases.ts";
import { chainInvariants } from "./ledger-chain.ts";
import { lossInvariants } from "./losses.ts";
import { lotsAndClosedDaysHold } from "./lots-and-closed-days.ts";
import { organizationsExist } from "./organizations-exist.ts";
import { explanations, overdraftsAreExplained } from "./overdraft.ts";
import { costsFollowPrices } from "./prices.ts";
import { usageInvariants } from "./usage-postings.ts";

/** All ledger invariants, in report order. */
const invariants: readonly Invariant[] = [
  ...balanceInvariants,
  ...usageInvariants,
  ...leaseInvariants,
  ...entryInvariants,
  blocksFollowBalance,
  spentEqualsCalls,
  costsFollowPrices,
  lotsAndClosedDaysHold,
  ...lossInvariants,
  overdraftsAreExplained,
  auditChainHolds,
  creditIsAudited,
  rolesAreAudited,
  organizationsExist,
  ...chainInvariants,
];

export interface VerifyOptions {
  /** Checks only this organization, and skips the instance-wide invariants. */
  readonly organizationId?: string;
  /** Admission rule; by default, a call is admitted only if its full hold is available. */
  readonly admission?: AdmissionRule;
  readonly reclaimAfterSeconds?: number;
  /** True if no gateway or worker is running. Their overdue work is then not reported. */
  readonly isAtRest?: boolean;
  /** True if all calls have ended and are settled. No credit may then be leased. */
  readonly isDrained?: boolean;
  /** Checkpoints to compare the database with; ignored if only one organization is checked. */
  readonly checkpoints?: CheckpointEvidence;
}

/** An allowed reason for a balance below its admission bound. */
interface Explanation {
  readonly organizationId: string;
  readonly kind: string;
  readonly subject: string;
  readonly amount: NanoUsd;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly checks: readonly CheckReport[];
  readonly explained: readonly Explanation[];
  readonly totals: Totals;
  /** Total for all checked organizations. */
  readonly balance: NanoUsd;
  /**
   * Balance of the loss account: the amount that the operator has paid for calls. 0 if only one organization is
   * checked.
   */
  readonly operatorLoss: NanoUsd;
}

const SHOWN_DIFFERENCES = 100;
const DEFAULT_RECLAIM_AFTER_SECONDS = 900;

/**
 * Recomputes all redundant data in the ledger and reports differences. Reads one snapshot and changes nothing, so the
 * result is exact even while the system is running. The transaction becomes read-only after `checkObjects`, which creates
 * functions for a comparison and undoes this.
 */
export function findBrokenInvariants(db: Database, options: VerifyOptions = {}): Promise<VerifyReport> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute((snapshot) => verifySnapshot(snapshot, options));
}

/** Like `findBrokenInvariants`, but runs in the caller's transaction, which must use a single snapshot. */
export async function verifySnapshot(snapshot: Transaction<Tables>, options: VerifyOptions): Promise<VerifyReport> {
  // Allow enough memory, so that sums over a year of calls don't spill to disk.
  await sql`set local work_mem = '64MB'`.execute(snapshot);
  // For statements over hundreds of partitions, JIT compilation takes seconds, which is more than it saves.
  await sql`set local jit = off`.execute(snapshot);
  const objects = await checkObjects(snapshot);
  await sql`savepoint checks`.execute(snapshot);
  try {
    return await verifyWith(objects, snapshot, options);
  } catch (error) {
    // For example, a function doesn't accept the rows of a view that has the place of a table.
    if (objects.ok || !isRefusal(error)) throw error;
    await sql`rollback to savepoint checks`.execute(snapshot);
    return reportStopped(objects, error);
  }
}

/** Runs all other checks. Their results are valid only if the objects that they use are those of this build. */
async function verifyWith(
  objects: CheckReport,
  snapshot: Transaction<Tables>,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const scope = await readScope(snapshot, options);
  const totals = await readTotals(snapshot, scope);
  const checks: CheckReport[] = [];
  for (const invariant of invariants) {
    if (invariant.isGlobal === true && scope.organizationId !== null) continue;
    checks.push(await check(snapshot, invariant, scope, totals));
  }
  if (options.checkpoints !== undefined && scope.organizationId === null) {
    checks.push(...(await compareCheckpoints(snapshot, options.checkpoints, scope.keptSince)));
  }
  checks.push(objects);
  return {
    ok: checks.every(({ ok }) => ok),
    checks,
    explained: await readExplanations(snapshot, scope),
    totals,
    balance: await readBalance(snapshot, scope),
    operatorLoss: await readOperatorLoss(snapshot, scope),
  };
}

/** Reports only the objects, because another check could not run with them. */
function reportStopped(objects: CheckReport, { message }: Error): VerifyReport {
  const stopped = {
    organizationId: null,
    subject: "other checks",
    expected: "completed",
    found: message,
    amount: null,
  };
  const differences = [...objects.differences, stopped];
  const checks = [{ ...objects, differing: objects.differing + 1, differences }];
  return { ok: false, checks, explained: [], totals: NO_TOTALS, balance: 0n, operatorLoss: 0n };
}

async function check(
  snapshot: Transaction<Tables>,
  invariant: Invariant,
  scope: Scope,
  totals: Totals,
): Promise<CheckReport> {
  const { id, title, checked } = invariant;
  const differences: Difference[] = [];
  let differing = 0;
  for (const statement of invariant.differences(scope)) {
    const rows = await readDifferences(snapshot, statement);
    differing += Number(rows[0]?.total ?? 0n);
    for (const { total: _, amount, ...row } of rows) {
      differences.push({ ...row, amount: amount === null ? null : BigInt(amount) });
    }
  }
  return { id, title, ok: differing === 0, checked: totals[checked], differing, differences };
}

type DifferenceRow = Omit<Difference, "amount"> & { readonly amount: string | null; readonly total: bigint };

async function readDifferences(
  snapshot: Transaction<Tables>,
  statement: RawBuilder<unknown>,
): Promise<readonly DifferenceRow[]> {
  const { rows } = await sql<DifferenceRow>`
    with differing as (${statement})
    select organization_id as "organizationId", subject, expected, found, amount::text as amount, count(*) over () as total
    from differing
    order by organization_id nulls first, subject
    limit ${SHOWN_DIFFERENCES}`.execute(snapshot);
  return rows;
}

async function readScope(snapshot: Transaction<Tables>, options: VerifyOptions): Promise<Scope> {
  return {
    organizationId: options.organizationId ?? null,
    keptSince: await readKeptSince(snapshot),
    isAtRest: options.isAtRest ?? false,
    isDrained: options.isDrained ?? false,
    reclaimAfterSeconds: options.reclaimAfterSeconds ?? DEFAULT_RECLAIM_AFTER_SECONDS,
    admission: options.admission ?? STRICT_ADMISSION,
    boundedSince: await readBoundedSince(snapshot),
    auditedSince: await readAuditedSince(snapshot),
    classifiedSince: await readClassifiedSince(snapshot),
  };
}

/** The schema from which on no hold exceeds the free credit by more than the overdraft. */
const BOUNDED_SCHEMA = 36;

/**
 * Returns the time at which the migration ran. The migration is always applied, because a newer build doesn't run on an
 * older schema.
 */
async function readBoundedSince(snapshot: Transaction<Tables>): Promise<Date> {
  const { rows } = await sql<{ since: Date }>`
    select applied_at as since from schema_migrations where number = ${BOUNDED_SCHEMA}`.execute(snapshot);
  return (rows[0] as { since: Date }).since;
}

/** The schema of the first release whose every grant, purchase, membership, and role has an audit entry. */
const AUDITED_SCHEMA = 45;

/**
 * Returns the beginning of time for a database that was created with this schema. For another one, returns the time of
 * the migration and a day, in which processes of the earlier release may still run. Earlier releases began with migration
 * 1, which is replaced since.
 */
async function readAuditedSince(snapshot: Transaction<Tables>): Promise<Date> {
  const { rows } = await sql<{ since: Date }>`
    select case when exists (
        select from schema_migrations as earlier
         where earlier.number = 1 or earlier.applied_at < audited.applied_at - interval '10 minutes'
      ) then applied_at + interval '1 day' else to_timestamp(0) end as since
      from schema_migrations as audited where number = ${AUDITED_SCHEMA}`.execute(snapshot);
  return (rows[0] as { since: Date }).since;
}

/** The schema whose rollups count canceled and rejected requests. */
const CLASSIFIED_SCHEMA = 42;

/** Returns the time of the migration; for a database that was created with it, the beginning of time. */
async function readClassifiedSince(snapshot: Transaction<Tables>): Promise<Date> {
  const { rows } = await sql<{ since: Date }>`
    select case when exists (
        select from schema_migrations as earlier where earlier.applied_at < classified.applied_at - interval '10 minutes'
      ) then applied_at else to_timestamp(0) end as since
      from schema_migrations as classified where number = ${CLASSIFIED_SCHEMA}`.execute(snapshot);
  return (rows[0] as { since: Date }).since;
}

/**
 * Returns the first day with a partition. No events are settled for earlier days, so any rows they had were dropped.
 */
async function readKeptSince(snapshot: Transaction<Tables>): Promise<string> {
  const { rows } = await sql<{ day: string | null }>`select oldest_usage_day()::text as day`.execute(snapshot);
  return rows[0]?.day ?? "-infinity";
}

async function readExplanations(snapshot: Transaction<Tables>, scope: Scope): Promise<readonly Explanation[]> {
  const { rows } = await sql<Omit<Explanation, "amount"> & { amount: string }>`
    select organization_id as "organizationId", kind, subject, amount::text as amount
    from (${explanations(scope)}) explanation
    order by explanation.amount desc, subject
    limit ${SHOWN_DIFFERENCES}`.execute(snapshot);
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

async function readOperatorLoss(snapshot: Transaction<Tables>, scope: Scope): Promise<NanoUsd> {
  if (scope.organizationId !== null) return 0n;
  const { rows } = await sql<{ amount: string }>`
    select coalesce(sum(case when source = 'sys:loss' then amount else -amount end), 0)::text as amount
    from ledger_postings
    where source = 'sys:loss' or destination = 'sys:loss'`.execute(snapshot);
  return BigInt(rows[0]?.amount ?? "0");
}

async function readBalance(snapshot: Transaction<Tables>, scope: Scope): Promise<NanoUsd> {
  const { rows } = await sql<{ balance: string }>`
    select coalesce(sum(balance), 0)::text as balance
    from organization_quota
    where ${scope.organizationId}::text is null or organization_id = ${scope.organizationId}`.execute(snapshot);
  return BigInt(rows[0]?.balance ?? "0");
}
