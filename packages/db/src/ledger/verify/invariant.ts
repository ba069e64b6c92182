import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";

/** Records to check, and the assumptions about them. */
export interface Scope {
  /** Null for all organizations. */
  readonly organizationId: string | null;
  /** First day whose usage rows still exist, as `YYYY-MM-DD`. Earlier days were closed and dropped. */
  readonly keptSince: string;
  /** True if no process is running. Overdue leases and unconfirmed events are then expected. */
  readonly isAtRest: boolean;
  /** True if every call has ended and is settled. No credit may then be leased. */
  readonly isDrained: boolean;
  readonly reclaimAfterSeconds: number;
  readonly admission: AdmissionRule;
  /**
   * Time at which the migration that bounds overdrafts ran. Before that, a hold could overdraw a balance by its full
   * amount.
   */
  readonly boundedSince: Date;
  /**
   * Time from which every grant, purchase, membership, and role has an audit entry. Records that an earlier release wrote
   * may lack it.
   */
  readonly auditedSince: Date;
  /** Start of the rollups that count canceled and rejected requests. */
  readonly classifiedSince: Date;
}

/** A value that differs from what the rest of the ledger implies. */
export interface Difference {
  readonly organizationId: string | null;
  /** ID of the differing record, or the components of its composite ID. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
  /** Difference in nano-USD, if it is an amount. */
  readonly amount: NanoUsd | null;
}

/** The result of one check. */
export interface CheckReport {
  readonly id: string;
  readonly title: string;
  readonly ok: boolean;
  readonly checked: bigint;
  /** Total number of differences. The first `SHOWN_DIFFERENCES` of each kind are listed. */
  readonly differing: number;
  readonly differences: readonly Difference[];
}

/** Number of records to check. A check without differences has verified all of them. */
export interface Totals {
  readonly organizations: bigint;
  readonly events: bigint;
  readonly transactions: bigint;
  readonly postings: bigint;
  readonly accounts: bigint;
  readonly nodes: bigint;
  readonly leases: bigint;
  readonly purchases: bigint;
  readonly teams: bigint;
  readonly budgetWindows: bigint;
  readonly lotsAndSeals: bigint;
  /** Lost attempts, and calls that the operator partially paid for. */
  readonly losses: bigint;
  readonly rollups: bigint;
  readonly auditRows: bigint;
  /** Users, memberships in organizations and teams. */
  readonly members: bigint;
  readonly chainEntries: bigint;
}

/**
 * A ledger invariant as SQL statements that select its violations: (organization_id, subject, expected, found, amount).
 */
export interface Invariant {
  readonly id: string;
  readonly title: string;
  readonly checked: keyof Totals;
  /** True if the invariant applies to the whole instance and can't be checked for a single organization. */
  readonly isGlobal?: boolean;
  readonly differences: (scope: Scope) => readonly RawBuilder<unknown>[];
}

/** Restricts a statement to the checked organization. */
export function within(scope: Scope, column: string): RawBuilder<boolean> {
  return scope.organizationId === null ? sql`true` : sql`${sql.ref(column)} = ${scope.organizationId}`;
}

/** Selects the credits minus the debits of each account, as `(account, balance)`. */
export function movements(scope: Scope): RawBuilder<unknown> {
  const account = scope.organizationId === null ? null : `org:${scope.organizationId}:credits`;
  const only = (column: string) => (account === null ? sql`true` : sql`${sql.ref(column)} = ${account}`);
  return sql`
    select account, sum(amount) as balance
    from (
      select destination as account, amount from ledger_postings where ${only("destination")}
      union all
      select source, -amount from ledger_postings where ${only("source")}
    ) moved
    group by account`;
}
