// Formats figures by the rules in docs/reference/figures.md. Shares no code with the product, so that a mistake in one of
// its formatters is found.

const NANO_PER_USD = 1_000_000_000;
const english = (value: number, decimals = 0): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/** Two decimals from one dollar, and three significant digits below it. */
export function money(nano: bigint): string {
  const size = Math.abs(Number(nano));
  const minus = nano < 0n ? "−" : "";
  if (size >= NANO_PER_USD || size === 0) return `${minus}$${english(Math.round(size / 10_000_000) / 100, 2)}`;
  const step = 10 ** Math.max(0, String(size).length - 3);
  const rounded = Math.round(size / step) * step;
  const [dollars, decimals = ""] = (rounded / NANO_PER_USD).toFixed(9).split(".");
  return `${minus}$${dollars}.${decimals.slice(0, 2)}${decimals.slice(2).replace(/0+$/, "")}`;
}

/** An amount in a column whose total is this one: with as many decimals as the total needs for three digits. */
export function moneyBeside(total: bigint): (nano: bigint) => string {
  const size = Math.abs(Number(total));
  const needed = size === 0 || size >= NANO_PER_USD ? 2 : 12 - String(size).length;
  return moneyWith(Math.max(2, Math.min(6, needed)));
}

/** The total below a column, with the decimals of the amounts above it. */
export const totalMoney = (total: bigint): string => moneyBeside(total)(total);

/** An amount with this many decimals. An amount that would round to zero is less than the last digit. */
export function moneyWith(decimals: number): (nano: bigint) => string {
  return (nano) => {
    const last = 10 ** (9 - decimals);
    const size = Math.abs(Number(nano));
    const steps = Math.round(size / last);
    if (size > 0 && steps === 0) return `${nano < 0n ? ">−" : "<"}$${(1 / 10 ** decimals).toFixed(decimals)}`;
    return `${nano < 0n ? "−" : ""}$${english(steps / 10 ** decimals, decimals)}`;
  };
}

/** All digits, as in ledger entries. */
export function exactMoney(nano: bigint): string {
  const digits = String(nano < 0n ? -nano : nano).padStart(10, "0");
  const dollars = BigInt(digits.slice(0, -9)).toLocaleString("en-US");
  return `${nano < 0n ? "−" : ""}$${dollars}.${digits.slice(-9)}`;
}

/** An amount in a file: all digits and no currency symbol. */
export const plainMoney = (nano: bigint): string => exactMoney(nano).replace("−", "-").replaceAll(/[$,]/g, "");

/** Exact below a million, then in millions with one decimal. */
export function count(value: number): string {
  if (value < 1_000_000) return english(value);
  return `${Number((value / 1_000_000).toFixed(1)).toLocaleString("en-US")}M`;
}

/** A number of tokens that fit into a request: 1K is 1,000, with one decimal below ten of a unit. */
export function contextSize(tokens: number): string {
  const [size, unit] = tokens >= 999_500 ? [1_000_000, "M"] : tokens >= 1_000 ? [1_000, "K"] : [1, ""];
  const inUnit = tokens / size;
  return `${Number(inUnit.toFixed(size > 1 && inUnit < 9.95 ? 1 : 0))}${unit}`;
}

/** 100% only if the share is 1, and 0% only if it is 0. */
export function share(value: number, decimals = 1): string {
  const percent = (value * 100).toFixed(decimals);
  if (value > 0 && Number(percent) === 0) return `${(10 ** -decimals).toFixed(decimals)}%`;
  if (value < 1 && Number(percent) === 100) return `${(100 - 10 ** -decimals).toFixed(decimals)}%`;
  return `${percent}%`;
}

/** 412 ms, 4.82 s, 2 min 5 s. */
export function duration(ms: number): string {
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 55_000) return `${Number((ms / 1_000).toFixed(2))} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
