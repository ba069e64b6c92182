import { NANO_PER_USD, type NanoUsd } from "../money.ts";

const MIN_DECIMALS = 2;
const MAX_DECIMALS = 9;
/** Number of digits that an amount below one dollar shows, so that small amounts keep their precision. */
const SIGNIFICANT_DIGITS = 3;
/** Decimals of a column whose smallest amounts would need more. Smaller amounts are shown as less than the last digit. */
const MAX_COLUMN_DECIMALS = 6;
const MINUS = "−";

/**
 * Formats an amount for display: two decimals from one dollar, and three significant digits below it. A nonzero amount
 * is never shown as zero. Rounds half away from zero. `formatExactMoney` has all digits.
 */
export function formatMoney(amount: NanoUsd): string {
  return withDecimals(amount, decimalsOf(amount)).replace(/(\.\d\d\d*?)0+$/, "$1");
}

/** Formats an amount with all its digits, and with at least two decimals. */
export function formatExactMoney(amount: NanoUsd): string {
  return withDecimals(amount, MAX_DECIMALS).replace(/0{1,7}$/, "");
}

/**
 * Returns a formatter for the amounts of one column or figure, which have the same number of decimals: as many as the
 * smallest nonzero one needs, up to six.
 */
export function formatMoneyColumn(amounts: Iterable<NanoUsd>): (amount: NanoUsd) => string {
  let decimals = MIN_DECIMALS;
  for (const amount of amounts) {
    if (amount !== 0n) decimals = Math.max(decimals, Math.min(MAX_COLUMN_DECIMALS, decimalsOf(amount)));
  }
  return (amount) => formatMoneyWith(amount, decimals);
}

/** Formats an amount with this many decimals. A nonzero amount that would be shown as zero is "less than the last digit". */
export function formatMoneyWith(amount: NanoUsd, decimals: number): string {
  const last = 10n ** BigInt(MAX_DECIMALS - decimals);
  const size = amount < 0n ? -amount : amount;
  if (size === 0n || size * 2n >= last) return withDecimals(amount, decimals);
  return amount < 0n ? `>${withDecimals(-last, decimals)}` : `<${withDecimals(last, decimals)}`;
}

/** Returns how many decimals an amount needs for its significant digits. */
function decimalsOf(amount: NanoUsd): number {
  const size = amount < 0n ? -amount : amount;
  if (size === 0n || size >= NANO_PER_USD) return MIN_DECIMALS;
  const zeros = MAX_DECIMALS - size.toString().length;
  return Math.max(MIN_DECIMALS, Math.min(MAX_DECIMALS, zeros + SIGNIFICANT_DIGITS));
}

function withDecimals(amount: NanoUsd, decimals: number): string {
  const scale = 10n ** BigInt(MAX_DECIMALS - decimals);
  const size = amount < 0n ? -amount : amount;
  const rounded = (size + scale / 2n) / scale;
  const digits = rounded.toString().padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const whole = digits.slice(0, point).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  const sign = amount < 0n && rounded > 0n ? MINUS : "";
  return `${sign}$${whole}${decimals === 0 ? "" : `.${digits.slice(point)}`}`;
}
