import { formatTotal } from "../../format/money.ts";

const CENT = 10_000_000n;

/** What is wrong with an amount to buy, or null. The server refuses the same. */
export function checkAmount(amount: bigint | null, least: bigint, most: bigint): string | null {
  if (amount === null) return "Enter an amount in dollars, such as 25 or 12.50";
  if (amount < least || amount > most) return `Enter an amount from ${formatTotal(least)} to ${formatTotal(most)}`;
  return amount % CENT === 0n ? null : "Enter whole cents only";
}
