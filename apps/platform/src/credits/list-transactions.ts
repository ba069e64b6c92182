import { CreditTransaction, TransactionQuery } from "@tollgate/contracts/management/credit.ts";
import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { readTimeRange } from "@tollgate/contracts/management/read-time.ts";
import { listTransactions, type CreditTransaction as Transaction } from "@tollgate/db/credits/transactions.ts";
import { operation, read } from "../operation.ts";

/** Everything that ever moved the balance. */
export const listCreditTransactions = operation({
  ...read,
  id: "listCreditTransactions",
  summary: "What moved the balance: purchases, grants, usage, refunds",
  tag: "credits",
  path: "/api/credits/transactions",
  auth: "user",
  scope: "organization",
  query: TransactionQuery,
  answers: { 200: { description: "Transactions, newest first", schema: listOf(CreditTransaction) } },
  handle: async ({ caller, query }, transaction) => {
    const { page, pageSize } = query;
    const filter = { kinds: query.kind ?? [], ...readTimeRange(query), page, pageSize };
    const found = await listTransactions(transaction, caller.organization.id, filter);
    return { status: 200, body: toList(found.transactions.map(toTransaction), query, found.total) };
  },
});

/** A transaction as it is sent. */
export function toTransaction(transaction: Transaction) {
  const { amount, balanceAfter } = transaction;
  return { ...transaction, usd: usdOf({ amount, balanceAfter }) };
}
