import { formatMoney } from "@tollgate/domain/figures/money-text.ts";

const CENT = 10_000_000n;

/** Returns what is wrong with a purchase amount, or null. The server applies the same rules. */
export function checkAmount(amount: bigint | null, least: bigint, most: bigint): string | null {
  if (amount === null) return "Enter an amount in dollars, such as 25 or 12.50";
  if (amount < least || amount > most) return `Enter an amount from ${formatMoney(least)} to ${formatMoney(most)}`;
  return amount % CENT === 0n ? null : "Enter whole cents only";
}
