import { toUsdText } from "@tollgate/contracts/management/money.ts";
import type { CreditTransaction } from "@tollgate/db/credits/transactions.ts";
import { toCell } from "../usage/write-csv.ts";

const HEADER = "id,createdAt,kind,amount,balanceAfter,amountUsd,balanceAfterUsd,reference,description\r\n";

/** Formats ledger entries as CSV, with amounts in nano-USD and USD. */
export function writeTransactionsCsv(transactions: readonly CreditTransaction[]): string {
  const lines = transactions.map(({ id, createdAt, kind, amount, balanceAfter, reference, description }) => {
    const cells = [id, createdAt, kind, amount, balanceAfter].map(toCell);
    // Don't use `toCell` for amounts, because it would escape a minus sign as the start of a formula.
    const usd = [amount, balanceAfter].map(toUsdText);
    return `${[...cells, ...usd, toCell(reference), toCell(description)].join(",")}\r\n`;
  });
  return HEADER + lines.join("");
}
