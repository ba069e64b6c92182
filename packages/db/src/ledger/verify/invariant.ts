import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";

/** What is looked at, and under which assumptions. */
export interface Scope {
  /** Null: every organization. */
  readonly organizationId: string | null;
  /** First day whose usage rows are still there, as `YYYY-MM-DD`; earlier ones were dropped after they were sealed. */
  readonly keptSince: string;
  /** No process runs beside this check, so nobody could have ended a lease or confirmed an event in time. */
  readonly isAtRest: boolean;
  /** Every call has ended and every event was settled: nothing may be set aside any more. */
  readonly isDrained: boolean;
  readonly reclaimAfterSeconds: number;
  /** How calls are admitted. */
  readonly admission: AdmissionRule;
  /** When the migration ran that bounds overdrafts. Until then one hold could take a balance below zero by all of itself. */
  readonly boundedSince: Date;
}

/** Something that is not as the rest of the books say it must be. */
export interface Difference {
  readonly organizationId: string | null;
  /** What differs: an id, or the parts of one. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
  /** By how many nano-USD, where it is money that differs. */
  readonly amount: NanoUsd | null;
}

/** How many things there are to check, which is what a check without differences has proven. */
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
  /** Lost attempts, and calls that the operator paid a part of. */
  readonly losses: bigint;
  readonly rollups: bigint;
  readonly auditRows: bigint;
}

/** A promise of the books, as statements that select whatever breaks it: (organization_id, subject, expected, found, amount). */
export interface Invariant {
  readonly id: string;
  readonly title: string;
  readonly checked: keyof Totals;
  /** Whether it speaks of the whole installation, and so says nothing when one organization is looked at. */
  readonly isGlobal?: boolean;
  readonly differences: (scope: Scope) => readonly RawBuilder<unknown>[];
}

/** Limits a statement to the organization looked at. */
export function within(scope: Scope, column: string): RawBuilder<boolean> {
  return scope.organizationId === null ? sql`true` : sql`${sql.ref(column)} = ${scope.organizationId}`;
}

/** What each account took in less what it gave out, as `(account, balance)`. */
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
