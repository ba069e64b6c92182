import { formatExactMoney, formatMoneyWith } from "@tollgate/domain/figures/money-text.ts";

/** Digits after the cents in an exact amount. */
const FINE_DIGITS = 7;

/** Formats a request's cost for a column: always six decimals, so that values align. */
export const formatRequestCost = (nano: bigint): string => formatMoneyWith(nano, 6);

/** Formats all nine decimals, split after the cents so that the UI can draw the other digits fainter. */
export function splitExact(nano: bigint): { readonly cents: string; readonly rest: string } {
  const text = formatMoneyWith(nano, 9);
  return { cents: text.slice(0, -FINE_DIGITS), rest: text.slice(-FINE_DIGITS) };
}

/** Formats the amount for an input field. */
export const toTypedUsd = (nano: bigint): string => formatExactMoney(nano).replaceAll(/[$,]/g, "");

/** Formats a price per million units. */
export const formatPerMillion = (nano: bigint | null): string => (nano === null ? "Unpriced" : formatExactMoney(nano));
