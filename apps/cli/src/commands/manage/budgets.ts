import { usageError } from "../../cli-error.ts";
import { formatUsd, readUsd } from "../../format-values.ts";

const periods = { day: "daily", week: "weekly", month: "monthly" } as const;

export interface Budget {
  readonly limit: bigint;
  readonly period: "none" | "daily" | "weekly" | "monthly";
}

/** The budget that was typed: `25/month`, `5/day`, `100` without a period, or `none`, which is null. */
export function parseBudget(text: string): Budget | null {
  if (text === "none") return null;
  const [amount = "", period] = text.split("/");
  if (period === undefined) return { limit: readUsd(amount), period: "none" };
  if (!(period in periods))
    throw usageError(`Invalid budget period '${period}'.`, "Use day, week, or month, for example 25/month.");
  return { limit: readUsd(amount), period: periods[period as keyof typeof periods] };
}

/** A budget for people: `$25.00 per month`. */
export function formatBudget(budget: { readonly limit: bigint; readonly period: string } | null): string {
  if (budget === null) return "none";
  const period = Object.entries(periods).find(([, each]) => each === budget.period)?.[0];
  return `${formatUsd(budget.limit)}${period === undefined ? "" : ` per ${period}`}`;
}
