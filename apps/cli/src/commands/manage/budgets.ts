import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { usageError } from "../../cli-error.ts";
import { readUsd } from "../../format-values.ts";

const periods = { day: "daily", week: "weekly", month: "monthly" } as const;

interface Budget {
  readonly limit: bigint;
  readonly period: "none" | "daily" | "weekly" | "monthly";
}

/** Parses a budget: `25/month`, `5/day`, `100` without a period, or `none`, which returns null. */
export function parseBudget(text: string): Budget | null {
  if (text === "none") return null;
  const [amount = "", period] = text.split("/");
  if (period === undefined) return { limit: readUsd(amount), period: "none" };
  if (!(period in periods))
    throw usageError(`Invalid budget period '${period}'.`, "Use day, week, or month, for example 25/month.");
  return { limit: readUsd(amount), period: periods[period as keyof typeof periods] };
}

/** Formats a budget: `$25.00 per month`. */
export function formatBudget(budget: { readonly limit: bigint; readonly period: string } | null): string {
  if (budget === null) return "none";
  const period = Object.entries(periods).find(([, each]) => each === budget.period)?.[0];
  return `${formatExactMoney(budget.limit)}${period === undefined ? "" : ` per ${period}`}`;
}
