interface Scale {
  readonly size: number;
  readonly unit: string;
}

const millions: readonly Scale[] = [
  { size: 1_000_000, unit: "M" },
  { size: 1_000_000_000, unit: "B" },
];
const thousands: readonly Scale[] = [{ size: 1_000, unit: "K" }, ...millions];

const byteScales: readonly Scale[] = [
  { size: 1_000, unit: " KB" },
  { size: 1_000_000, unit: " MB" },
  { size: 1_000_000_000, unit: " GB" },
  { size: 1_000_000_000_000, unit: " TB" },
];

/** Counts from here are shortened. */
const SHORT_FROM = 1_000_000;

/**
 * Formats a number of tokens, such as a context window. 1K is 1,000 tokens everywhere, as in the providers' price lists,
 * so that 128,000 is 128K and 131,072 is 131K.
 */
export function formatTokens(tokens: number): string {
  return Math.abs(tokens) < 999.5 ? String(Math.round(tokens)) : scaled(tokens, thousands);
}

/** Formats a number of bytes. 1 KB is 1,000 bytes. */
export function formatBytes(bytes: number): string {
  return Math.abs(bytes) < 999.5 ? `${Math.round(bytes)} B` : scaled(bytes, byteScales);
}

/** Formats a count: exact below a million, such as 12,345, then 1.2M. */
export function formatCount(count: number): string {
  return Math.abs(count) < SHORT_FROM ? count.toLocaleString("en-US") : scaled(count, millions, 1);
}

/** Formats a share from 0 to 1 as a percentage. Shows 100% only if the share is 1, and 0% only if it is 0. */
export function formatShare(share: number, decimals = 1): string {
  const last = 10 ** -decimals;
  const percent = share * 100;
  const shown = share >= 1 || share <= 0 ? percent : Math.min(100 - last, Math.max(last, percent));
  return `${shown.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}%`;
}

/** Formats a number in the first unit in which it is below 1,000, with a decimal below ten unless `decimals` is given. */
function scaled(value: number, scales: readonly Scale[], decimals?: number): string {
  const inUnit = ({ size }: Scale) =>
    Number((value / size).toFixed(decimals ?? (Math.abs(value) / size < 9.95 ? 1 : 0)));
  const scale = scales.find((each) => Math.abs(inUnit(each)) < 1_000) ?? (scales.at(-1) as Scale);
  return `${inUnit(scale).toLocaleString("en-US")}${scale.unit}`;
}
