const NANO = 1_000_000_000n;

/** Formats dollars, rounded half away from zero, with thousands separators. Negative amounts have a minus sign. */
export function formatUsd(nano: bigint, decimals: number): string {
  const scale = 10n ** BigInt(9 - decimals);
  const size = nano < 0n ? -nano : nano;
  const rounded = (size + scale / 2n) / scale;
  const unit = 10n ** BigInt(decimals);
  const whole = (rounded / unit).toLocaleString("en-US");
  const part = decimals === 0 ? "" : `.${(rounded % unit).toString().padStart(decimals, "0")}`;
  return `${nano < 0n && rounded > 0n ? "−" : ""}$${whole}${part}`;
}

/** Formats a balance or total with two decimals. */
export const formatTotal = (nano: bigint): string => formatUsd(nano, 2);

/** Returns a formatter for parts of a total: two decimals, or six if the total is less than a dollar. */
export function formatPartsOf(total: bigint): (part: bigint) => string {
  const decimals = total > 0n && total < NANO ? 6 : 2;
  return (part) => formatUsd(part, decimals);
}

/** Formats a request's cost for a column: always six decimals, so that values align. */
export function formatRequestCost(nano: bigint): string {
  return nano > 0n && nano < 500n ? "<$0.000001" : formatUsd(nano, 6);
}

/** Formats a request's cost for running text: as many decimals as needed, at most six. */
export function formatRunningCost(nano: bigint): string {
  if (nano === 0n) return "$0";
  return formatRequestCost(nano).replace(/\.?0+$/, "");
}

/** Formats all nine decimals, split after the cents so that the UI can draw the other digits fainter. */
export function splitExact(nano: bigint): { readonly cents: string; readonly rest: string } {
  const text = formatUsd(nano, 9);
  return { cents: text.slice(0, -7), rest: text.slice(-7) };
}

/** Formats an amount with at least two decimals and no further trailing zeros. */
export function formatAsNeeded(nano: bigint): string {
  return formatUsd(nano, 9).replace(/0{1,7}$/, "");
}

/** Formats the amount for an input field. */
export const toTypedUsd = (nano: bigint): string => formatAsNeeded(nano).replaceAll(/[$,]/g, "");

/** Formats a price per million units. */
export const formatPerMillion = (nano: bigint | null): string => (nano === null ? "Unpriced" : formatAsNeeded(nano));
