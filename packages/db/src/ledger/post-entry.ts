import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** A ledger entry other than usage. An entry is posted only once per idempotency key. */
export interface NewEntry {
  readonly kind: EntryKind;
  readonly organizationId: string;
  /** Positive amount, except for an adjustment, which has the sign of the change. */
  readonly amount: NanoUsd;
  readonly idempotencyKey: string;
  /** Payment provider, only for purchases, refunds, and disputes. */
  readonly provider?: "stripe" | "fake" | "manual";
  readonly reference?: string;
  readonly description?: string;
  readonly actor: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Expiration time of a grant, after which the remainder is taken back. */
  readonly expiresAt?: Date;
}

type EntryKind =
  | "purchase"
  | "grant"
  | "usage_reversal"
  | "refund"
  | "dispute"
  | "dispute_won"
  | "expiry"
  | "adjustment";

export type EntryOutcome =
  | {
      /** `replayed`: the same entry was posted before, and nothing changed. */
      readonly kind: "posted" | "replayed";
      readonly transactionId: string;
      readonly balance: NanoUsd;
      /** Amount needed to reach a zero balance. */
      readonly shortfall: NanoUsd;
      readonly unblockedTeams: readonly string[];
    }
  /** The idempotency key was already used for a different entry. */
  | { readonly kind: "key_reused" };

/** Posts the entry and applies its effects: totals, blocked and unblocked teams, recalled credit. */
export async function postEntry(db: Database | TenantTransaction, entry: NewEntry): Promise<EntryOutcome> {
  const counterparty = entry.provider === undefined ? null : `ext:${entry.provider}`;
  const { rows } = await sql<EntryRow>`
    select * from post_entry(
      ${entry.kind}, ${entry.organizationId}, ${entry.amount}, ${entry.idempotencyKey}, ${counterparty},
      ${entry.reference ?? null}, ${entry.description ?? null}, ${entry.actor}, ${JSON.stringify(entry.metadata ?? {})}::jsonb,
      ${entry.expiresAt ?? null}::timestamptz)`.execute(db);
  const row = rows[0] as EntryRow;
  if (row.outcome === "key_reused") return { kind: "key_reused" };
  return {
    kind: row.outcome,
    transactionId: row.transaction_id,
    balance: row.balance,
    shortfall: row.shortfall,
    unblockedTeams: row.unblocked,
  };
}

interface EntryRow {
  readonly outcome: "posted" | "replayed" | "key_reused";
  readonly transaction_id: string;
  readonly balance: bigint;
  readonly shortfall: bigint;
  readonly unblocked: string[];
}
