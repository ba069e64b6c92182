import { formatUsd, type NanoUsd } from "./money.ts";

/** Returns an amount as a JSON number with all digits, even if a JavaScript number can't represent them. */
export function usdNumber(amount: NanoUsd): unknown {
  return exactNumber(formatUsd(amount));
}

/** Returns a JSON number with exactly these digits. */
export function exactNumber(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
}
