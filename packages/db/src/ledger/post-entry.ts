import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** An entry that is not usage. Its key is posted once for ever. */
export interface NewEntry {
  readonly kind: EntryKind;
  readonly organizationId: string;
  /** Above zero, but for an adjustment, whose sign is that of the change. */
  readonly amount: NanoUsd;
  readonly idempotencyKey: string;
  /** Who paid or is paid: for purchases, refunds and disputes only. */
  readonly provider?: "stripe" | "fake" | "manual";
  readonly reference?: string;
  readonly description?: string;
  readonly actor: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** For a grant: what is left then is taken back. */
  readonly expiresAt?: Date;
}

export type EntryKind =
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
      /** `replayed`: the same entry was posted before, and nothing changed now. */
      readonly kind: "posted" | "replayed";
      readonly transactionId: string;
      readonly balance: NanoUsd;
      /** What is missing to a balance of zero. */
      readonly shortfall: NanoUsd;
      readonly unblockedTeams: readonly string[];
    }
  /** Another entry has this key. */
  | { readonly kind: "key_reused" };

/** Posts the entry with all that follows from it: totals, blocked and unblocked teams, recalled credit. */
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
