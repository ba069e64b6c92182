import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** A ledger entry as shown to the organization. */
export interface CreditTransaction {
  readonly id: string;
  readonly kind: string;
  /** Negative if the entry reduced the credit. */
  readonly amount: NanoUsd;
  readonly balanceAfter: NanoUsd;
  readonly reference: string | null;
  readonly description: string | null;
  readonly createdAt: Date;
}

interface TransactionFilter {
  readonly kinds: readonly string[];
  readonly from: Date | null;
  readonly until: Date | null;
  readonly page: number;
  readonly pageSize: number;
}

/** Lists one page of the organization's entries, newest first. */
export async function listTransactions(
  transaction: TenantTransaction,
  organizationId: string,
  filter: TransactionFilter,
): Promise<{ readonly transactions: readonly CreditTransaction[]; readonly total: number }> {
  const { page, pageSize } = filter;
  const query = filtered(transaction, organizationId, filter);
  const { total } = await query
    .clearSelect()
    .select(({ fn }) => fn.countAll<bigint>().as("total"))
    .executeTakeFirstOrThrow();
  const transactions = await query
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { transactions, total: Number(total) };
}

/** Reads the organization's newest entries for an export, newest first. */
export function readTransactions(
  transaction: TenantTransaction,
  organizationId: string,
  filter: Omit<TransactionFilter, "page" | "pageSize">,
  limit: number,
): Promise<readonly CreditTransaction[]> {
  return filtered(transaction, organizationId, filter)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** Returns the entry, or null if the organization has no entry with this ID. */
export async function findTransaction(
  transaction: TenantTransaction,
  organizationId: string,
  id: string,
): Promise<CreditTransaction | null> {
  const found = await selectTransactions(transaction, organizationId).where("id", "=", id).executeTakeFirst();
  return found ?? null;
}

function filtered(
  transaction: TenantTransaction,
  organizationId: string,
  { kinds, from, until }: Omit<TransactionFilter, "page" | "pageSize">,
) {
  let query = selectTransactions(transaction, organizationId);
  if (kinds.length > 0) query = query.where("kind", "in", kinds as never[]);
  if (from !== null) query = query.where("created_at", ">=", from);
  return until === null ? query : query.where("created_at", "<", until);
}

function selectTransactions(transaction: TenantTransaction, organizationId: string) {
  const account = `org:${organizationId}:credits`;
  return transaction
    .selectFrom("ledger_transactions as entry")
    .select([
      "id",
      "kind",
      "balance_after as balanceAfter",
      "reference",
      "description",
      "created_at as createdAt",
      sql<NanoUsd>`(select sum(case when posting.destination = ${account} then posting.amount else -posting.amount end)::bigint
        from ledger_postings posting where posting.transaction_id = entry.id)`.as("amount"),
    ])
    .where("organization_id", "=", organizationId);
}
