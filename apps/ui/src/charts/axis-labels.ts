import { formatUsd } from "../format/money.ts";

/** Dollars beside an axis; its values are nano-USD: $0, $5, $0.25. */
export function usdTick(nano: number): string {
  const amount = BigInt(Math.round(nano));
  const [whole, part = ""] = formatUsd(amount, 9).replace(/0+$/, "").split(".");
  if (part === "") return whole ?? "$0";
  return `${whole}.${part.padEnd(2, "0")}`;
}

/** Counts beside an axis: 0, 60M. Nothing is counted by halves, so lines between whole numbers have no label. */
export const countTick = (value: number): string => (Number.isInteger(value) ? shorten(value) : "");

/** Durations beside an axis; its values are milliseconds: 0, 250 ms, 2.5 s. */
export function durationTick(ms: number): string {
  if (ms === 0) return "0";
  if (ms < 1_000) return `${round(ms)} ms`;
  return `${round(ms / 1_000)} s`;
}

/** Shares beside an axis: 0%, 50%. */
export const shareTick = (share: number): string => `${round(share * 100)}%`;

/** Exact, unlike sizes in running text: the steps of an axis are quarters at the finest. */
function shorten(value: number): string {
  const [size, unit] = value < 1_000 ? [1, ""] : value < 1_000_000 ? [1_000, "K"] : [1_000_000, "M"];
  return `${(value / size).toLocaleString("en-US", { maximumFractionDigits: 2 })}${unit}`;
}

const round = (value: number): number => Number(value.toPrecision(6));
