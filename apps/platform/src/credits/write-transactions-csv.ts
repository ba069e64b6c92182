import { toUsdText } from "@tollgate/contracts/management/money.ts";
import type { CreditTransaction } from "@tollgate/db/credits/transactions.ts";
import { csvLine } from "@tollgate/domain/csv.ts";

const HEADER = "id,createdAt,kind,amount,balanceAfter,amountUsd,balanceAfterUsd,reference,description\r\n";

/** Formats ledger entries as CSV, with amounts in nano-USD and USD. */
export function writeTransactionsCsv(transactions: readonly CreditTransaction[]): string {
  const lines = transactions.map(({ id, createdAt, kind, amount, balanceAfter, reference, description }) => {
    const usd = [amount, balanceAfter].map((nano) => ({ number: toUsdText(nano) }));
    return csvLine([id, createdAt, kind, amount, balanceAfter, ...usd, reference, description]);
  });
  return HEADER + lines.join("");
}
