import type { Operations } from "@tollgate/sdk/platform";
import { dayOf } from "../../shell/range.ts";

export type Entry = Operations["listCreditTransactions"]["answer"]["data"][number];

/** One line of the ledger: an entry, or usage entries that follow one another on one day. */
export interface LedgerRow {
  readonly id: string;
  readonly kind: Entry["kind"];
  readonly from: string;
  readonly until: string;
  readonly entries: number;
  readonly amount: bigint;
  readonly balanceAfter: bigint;
  readonly reference: string | null;
  readonly description: string | null;
}

/**
 * Entries, newest first, with runs of usage within a day of the zone folded into one line. Sums and balances stay exact:
 * each line's balance is that of the line below it plus its own amount.
 */
export function foldUsage(entries: readonly Entry[], zone: string): readonly LedgerRow[] {
  const rows: LedgerRow[] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    const isSameRun = last?.kind === "usage" && entry.kind === "usage" && isSameDay(last.from, entry.createdAt, zone);
    if (last !== undefined && isSameRun) {
      rows[rows.length - 1] = {
        ...last,
        from: entry.createdAt,
        entries: last.entries + 1,
        amount: last.amount + entry.amount,
      };
    } else {
      const { id, kind, createdAt, amount, balanceAfter, reference, description } = entry;
      rows.push({
        id,
        kind,
        from: createdAt,
        until: createdAt,
        entries: 1,
        amount,
        balanceAfter,
        reference,
        description,
      });
    }
  }
  return rows;
}

function isSameDay(one: string, other: string, zone: string): boolean {
  return dayOf(new Date(one), zone) === dayOf(new Date(other), zone);
}
