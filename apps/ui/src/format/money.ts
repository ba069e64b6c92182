const NANO = 1_000_000_000n;

/** Dollars with so many decimals, rounded half away from zero, thousands apart. A minus sign, never brackets. */
export function formatUsd(nano: bigint, decimals: number): string {
  const scale = 10n ** BigInt(9 - decimals);
  const size = nano < 0n ? -nano : nano;
  const rounded = (size + scale / 2n) / scale;
  const unit = 10n ** BigInt(decimals);
  const whole = (rounded / unit).toLocaleString("en-US");
  const part = decimals === 0 ? "" : `.${(rounded % unit).toString().padStart(decimals, "0")}`;
  return `${nano < 0n && rounded > 0n ? "−" : ""}$${whole}${part}`;
}

/** A balance or total: two decimals. */
export const formatTotal = (nano: bigint): string => formatUsd(nano, 2);

/** How the parts of a total are written: two decimals, or six for all of them when the total is under a dollar. */
export function formatPartsOf(total: bigint): (part: bigint) => string {
  const decimals = total > 0n && total < NANO ? 6 : 2;
  return (part) => formatUsd(part, decimals);
}

/** One request in a column: six decimals, always, so that they align. */
export function formatRequestCost(nano: bigint): string {
  return nano > 0n && nano < 500n ? "<$0.000001" : formatUsd(nano, 6);
}

/** One request in running text: as many decimals as it needs, six at most. */
export function formatRunningCost(nano: bigint): string {
  if (nano === 0n) return "$0";
  return formatRequestCost(nano).replace(/\.?0+$/, "");
}

/** All nine decimals, cut where the cents end: the rest is drawn fainter. */
export function splitExact(nano: bigint): { readonly cents: string; readonly rest: string } {
  const text = formatUsd(nano, 9);
  return { cents: text.slice(0, -7), rest: text.slice(-7) };
}

/** Two decimals, and more only where the amount has them. */
export function formatAsNeeded(nano: bigint): string {
  return formatUsd(nano, 9).replace(/0{1,7}$/, "");
}

/** The amount as somebody would type it. */
export const toTypedUsd = (nano: bigint): string => formatAsNeeded(nano).replaceAll(/[$,]/g, "");

/** A price of a million units. */
export const formatPerMillion = (nano: bigint | null): string => (nano === null ? "Unpriced" : formatAsNeeded(nano));
