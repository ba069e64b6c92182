import { hash } from "node:crypto";
import type { BudgetImport } from "@tollgate/db/import/import-budget.ts";
import type { LitellmRow } from "@tollgate/db/import/read-litellm.ts";
import { fromLitellmPeriod } from "@tollgate/domain/credit/litellm-period.ts";
import { uuidToCrockford } from "@tollgate/domain/ids.ts";
import { formatUsd, type NanoUsd } from "@tollgate/domain/money.ts";
import { parseDecimal } from "@tollgate/runtime/settings/parse-usd.ts";

/** Messages about a record. Notes explain a conversion. Warnings list data that Tollgate can't represent. */
export interface ImportNotes {
  readonly notes: string[];
  readonly warnings: string[];
}

const MAX_LIMIT = 2_147_483_647;
const MAX_NAME_LENGTH = 100;
const NANO_DECIMALS = 9;
/** Maximum amount that the ledger can store. */
const MAX_AMOUNT = 9_000_000_000_000_000_000n;
const everything = new Set(["*", "all-team-models", "all-proxy-models"]);

/** Derives a stable ID from a LiteLLM ID, so that a second import finds the records from the first import. */
export function idFor(prefix: "org" | "team" | "key", source: string): string {
  return `${prefix}_${uuidToCrockford(hash("sha256", `litellm:${prefix}:${source}`, "hex").slice(0, 32))}`;
}

export const textOf = (row: LitellmRow, name: string): string | null => {
  const value = row[name];
  return typeof value === "string" && value !== "" ? value : null;
};

export const listOf = (row: LitellmRow, name: string): readonly string[] => {
  const value = row[name];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
};

export const objectOf = (row: LitellmRow, name: string): Readonly<Record<string, unknown>> => {
  const value = row[name];
  return value !== null && typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
};

/** Reads a rate limit, capped at the maximum that the column can store. */
export function limitOf(row: LitellmRow, name: string): number | null {
  const value = row[name];
  return typeof value === "number" && value >= 0 ? Math.min(Math.floor(value), MAX_LIMIT) : null;
}

/** Returns only the entries whose values have the given type. */
export function pairsOf<Value extends string | number>(
  value: unknown,
  type: Value extends string ? "string" : "number",
): Readonly<Record<string, Value>> {
  if (value === null || typeof value !== "object") return {};
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => typeof entry === type)) as Record<
    string,
    Value
  >;
}

/** Returns the allowed models; an empty list allows all models. */
export function modelsOf(row: LitellmRow): readonly string[] {
  const models = listOf(row, "models");
  return models.some((model) => everything.has(model)) ? [] : [...new Set(models)];
}

/** Parses a timestamp. LiteLLM stores UTC without a time zone. Returns null for an invalid date. */
export function momentOf(row: LitellmRow, name: string): Date | null {
  const text = textOf(row, name);
  if (text === null) return null;
  const at = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** Returns a name that isn't longer than the maximum and isn't taken yet. */
export function nameFor(wanted: string, source: string, taken: Set<string>): string {
  const short = wanted.trim().slice(0, MAX_NAME_LENGTH) || source.slice(0, MAX_NAME_LENGTH);
  const suffix = ` (${source.slice(0, 8)})`;
  const name = taken.has(short.toLowerCase()) ? short.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix : short;
  taken.add(name.toLowerCase());
  return name;
}

/**
 * Returns the budget. If the budget has no period, the amount already spent in LiteLLM is deducted, so that total
 * spending stays within the limit. If the budget has a period, it starts with zero spending, because the earlier
 * spending has no postings in the ledger.
 */
export function budgetOf(row: LitellmRow, spender: LitellmRow, remarks: ImportNotes): BudgetImport | null {
  const most = amountOf(row.max_budget);
  if (most === null) return null;
  if (most > MAX_AMOUNT) {
    remarks.warnings.push("max_budget exceeds the maximum, so no budget is set");
    return null;
  }
  const spent = amountOf(spender.spend) ?? 0n;
  const period = periodOf(row, remarks);
  if (period !== "none") {
    if (spent > 0n) remarks.notes.push(`$${formatUsd(spent)} was spent in LiteLLM; the budget period restarts`);
    return { amount: most, period };
  }
  const left = most > spent ? most - spent : 0n;
  if (spent > 0n)
    remarks.notes.push(`$${formatUsd(spent)} of $${formatUsd(most)} was spent in LiteLLM; $${formatUsd(left)} remains`);
  return { amount: left, period };
}

function periodOf(row: LitellmRow, { warnings }: ImportNotes): string {
  const text = textOf(row, "budget_duration");
  if (text === null) return "none";
  const period = fromLitellmPeriod(text);
  if (period !== null) return period;
  warnings.push(`budget_duration ${text} is not supported, so the budget never resets`);
  return "none";
}

/** Converts a USD amount exactly. Digits below one nano-USD are floating-point noise and are rounded. */
function amountOf(value: unknown): NanoUsd | null {
  if (typeof value !== "number") return null;
  if (value <= 0) return 0n;
  const exact = parseDecimal(String(value), NANO_DECIMALS);
  if (exact.kind === "exact") return exact.value;
  const rounded = parseDecimal(value.toFixed(NANO_DECIMALS), NANO_DECIMALS);
  return rounded.kind === "exact" ? rounded.value : null;
}

/** Warns about every unknown column that has a value, including columns from later LiteLLM versions. */
export function warnUnknownColumns(
  row: LitellmRow,
  known: ReadonlySet<string>,
  { warnings }: ImportNotes,
  prefix = "",
): void {
  const rest = Object.keys(row).filter((name) => !known.has(name) && saysSomething(row[name]));
  if (rest.length > 0) warnings.push(`not imported: ${rest.map((name) => prefix + name).join(", ")}`);
}

function saysSomething(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "" || value === 0) return false;
  if (typeof value !== "object") return true;
  return Object.values(value).some(saysSomething);
}
