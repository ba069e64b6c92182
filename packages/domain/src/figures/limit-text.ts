import { parseUsd } from "../money.ts";
import { formatExactMoney } from "./money-text.ts";
import { formatCount } from "./size-text.ts";

/** Kinds of limits whose values are amounts in USD. The values of all other kinds are counts. */
const MONEY_KINDS: readonly string[] = ["credit", "budget"];

/**
 * Formats a value of a limit as errors and logs have it: amounts in USD as decimals, and counts as numbers. A text that
 * is neither is returned as it is.
 */
export function formatLimitValue(kind: string, value: string | number): string {
  const text = String(value);
  if (!MONEY_KINDS.includes(kind)) return /^\d{1,15}$/.test(text) ? formatCount(Number(text)) : text;
  const amount = parseUsd(text.replace(/^-/, ""));
  return amount === null ? text : formatExactMoney(text.startsWith("-") ? -amount : amount);
}
