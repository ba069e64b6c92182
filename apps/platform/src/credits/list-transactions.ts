import { CreditTransaction, TransactionQuery } from "@tollgate/contracts/management/credit.ts";
import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { readTimeRange } from "@tollgate/contracts/management/read-time.ts";
import {
  listTransactions,
  readTransactions,
  type CreditTransaction as Transaction,
} from "@tollgate/db/credits/transactions.ts";
import { type Answer, operation, read } from "../operation.ts";
import { writeTransactionsCsv } from "./write-transactions-csv.ts";

/**
 * Maximum number of lines in an exported file. A file of this size is about seven megabytes and is created in one
 * request.
 */
const MAX_LINES = 50_000;

/** Lists all transactions that changed the balance. */
export const listCreditTransactions = operation({
  ...read,
  id: "listCreditTransactions",
  summary: "List credit transactions: purchases, grants, usage, refunds",
  tag: "credits",
  path: "/api/credits/transactions",
  auth: "user",
  scope: "organization",
  query: TransactionQuery,
  answers: {
    200: {
      description: `Transactions, newest first; with format=csv, all of them up to ${MAX_LINES}`,
      schema: listOf(CreditTransaction),
    },
  },
  handle: async ({ caller, query }, transaction) => {
    const { page, pageSize } = query;
    const filter = { kinds: query.kind ?? [], ...readTimeRange(query) };
    if (query.format === "csv") {
      return answerCsv(await readTransactions(transaction, caller.organization.id, filter, MAX_LINES + 1));
    }
    const found = await listTransactions(transaction, caller.organization.id, { ...filter, page, pageSize });
    return { status: 200, body: toList(found.transactions.map(toTransaction), query, found.total) };
  },
});

function answerCsv(transactions: readonly Transaction[]): Answer {
  const isCut = transactions.length > MAX_LINES;
  return {
    status: 200,
    headers: {
      "content-disposition": 'attachment; filename="transactions.csv"',
      ...(isCut && { "x-gw-truncated": "true" }),
    },
    raw: {
      contentType: "text/csv; charset=utf-8",
      content: writeTransactionsCsv(isCut ? transactions.slice(0, MAX_LINES) : transactions),
    },
  };
}

/** Converts a transaction to its API format. */
export function toTransaction(transaction: Transaction) {
  const { amount, balanceAfter } = transaction;
  return { ...transaction, usd: usdOf({ amount, balanceAfter }) };
}
