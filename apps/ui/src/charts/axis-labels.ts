import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";

/** Formats an axis value in nano-USD as dollars: $0, $5, $0.25. */
export function usdTick(nano: number): string {
  const amount = BigInt(Math.round(nano));
  const [whole, part = ""] = formatExactMoney(amount).replace(/0+$/, "").split(".");
  if (part === "") return whole ?? "$0";
  return `${whole}.${part.padEnd(2, "0")}`;
}

/** Formats an axis value as a count: 0, 60M. Counts are whole numbers, so fractional ticks have no label. */
export const countTick = (value: number): string => (Number.isInteger(value) ? shorten(value) : "");

/** Formats an axis value in milliseconds as a duration: 0, 250 ms, 2.5 s. */
export function durationTick(ms: number): string {
  if (ms === 0) return "0";
  if (ms < 1_000) return `${round(ms)} ms`;
  return `${round(ms / 1_000)} s`;
}

/** Formats an axis value as a percentage: 0%, 50%. */
export const shareTick = (share: number): string => `${round(share * 100)}%`;

/** Shortens a number without rounding it. Axis steps are never smaller than a quarter of the unit. */
function shorten(value: number): string {
  const [size, unit] = value < 1_000 ? [1, ""] : value < 1_000_000 ? [1_000, "K"] : [1_000_000, "M"];
  return `${(value / size).toLocaleString("en-US", { maximumFractionDigits: 2 })}${unit}`;
}

const round = (value: number): number => Number(value.toPrecision(6));
