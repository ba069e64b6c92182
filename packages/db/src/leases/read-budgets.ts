import { type BudgetScope, parsePeriod, windowAt } from "@tollgate/domain/credit/budget-window.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** A budget and the usage of its current window. */
export interface BudgetState {
  readonly limit: NanoUsd;
  readonly period: string;
  /** Cost of settled calls that were admitted in the window. */
  readonly spent: NanoUsd;
  /** Amount leased to gateways and not settled yet: holds for calls in flight, and slices reserved for later calls. */
  readonly held: NanoUsd;
  /** Null for a budget without a period. */
  readonly resetsAt: Date | null;
}

/** Reads the budgets of these keys, teams, or users, by ID. IDs without a budget are not in the map. */
export async function readBudgets(
  transaction: TenantTransaction,
  organizationId: string,
  scope: BudgetScope,
  scopeIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, BudgetState>> {
  if (scopeIds.length === 0) return new Map();
  const budgets = await transaction
    .selectFrom("budgets")
    .select(["scope_id", "amount", "period"])
    .where("organization_id", "=", organizationId)
    .where("scope", "=", scope)
    .where("scope_id", "in", [...scopeIds])
    .execute();
  const limited = budgets.map((budget) => ({ ...budget, ...windowAt(parsePeriod(budget.period), now.getTime()) }));
  const used = await readWindows(transaction, organizationId, scope, limited);
  return new Map(
    limited.map(({ scope_id, amount, period, endsAtMs }) => [
      scope_id,
      {
        limit: amount,
        period,
        spent: used.get(scope_id)?.spent ?? 0n,
        held: used.get(scope_id)?.leased ?? 0n,
        resetsAt: Number.isFinite(endsAtMs) ? new Date(endsAtMs) : null,
      },
    ]),
  );
}

/** Like `readBudgets`, but for records from several organizations. */
export async function readBudgetsOfMany(
  transaction: TenantTransaction,
  scope: BudgetScope,
  records: readonly { readonly id: string; readonly organizationId: string }[],
  now: Date,
): Promise<ReadonlyMap<string, BudgetState>> {
  const found = new Map<string, BudgetState>();
  for (const [organizationId, owned] of Map.groupBy(records, (record) => record.organizationId)) {
    const ids = owned.map(({ id }) => id);
    for (const [id, budget] of await readBudgets(transaction, organizationId, scope, ids, now)) found.set(id, budget);
  }
  return found;
}

interface WindowStart {
  readonly scope_id: string;
  readonly startsAtMs: number;
}

interface Used {
  readonly scope_id: string;
  readonly spent: NanoUsd;
  readonly leased: NanoUsd;
}

/**
 * Reads the usage of each window. A window that no call has opened yet starts with the amount spent before the budget
 * was set.
 */
async function readWindows(
  transaction: TenantTransaction,
  organizationId: string,
  scope: BudgetScope,
  windows: readonly WindowStart[],
): Promise<ReadonlyMap<string, Used>> {
  if (windows.length === 0) return new Map();
  const { rows } = await sql<Used>`
    select wanted.scope_id, coalesce(w.leased, 0) as leased,
      coalesce(w.spent, (
        select sum(r.cost)::bigint from usage_rollups r
        where r.organization_id = ${organizationId} and r.bucket_at >= wanted.starts_at
          and case ${scope}::text when 'key' then r.key_id = wanted.scope_id when 'team' then r.team_id = wanted.scope_id
              else ${scope}::text = 'organization' end
      ), 0) as spent
    from unnest(${windows.map(({ scope_id }) => scope_id)}::text[],
      ${windows.map(({ startsAtMs }) => new Date(startsAtMs))}::timestamptz[]) as wanted (scope_id, starts_at)
    left join budget_windows w on w.organization_id = ${organizationId} and w.scope = ${scope}
      and w.scope_id = wanted.scope_id and w.starts_at = wanted.starts_at`.execute(transaction);
  return new Map(rows.map((row) => [row.scope_id, row]));
}
