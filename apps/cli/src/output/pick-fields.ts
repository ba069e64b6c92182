import { usageError } from "../cli-error.ts";
import { closestTo } from "../closest-to.ts";

/** The row with these fields only; all of it when none are named. */
export function pickFields(row: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0 || typeof row !== "object" || row === null) return row;
  return Object.fromEntries(fields.map((field) => [field, valueAt(row, field) ?? null]));
}

/** Refuses a field nobody knows, naming those there are. Before anything is asked for: a mistake must not cost a call. */
export function checkFields(fields: readonly string[], known: readonly string[]): void {
  const wrong = fields.find((field) => !known.includes(field.split(".")[0] as string));
  if (wrong === undefined) return;
  const close = closestTo(wrong, known);
  const hint = close === null ? "" : ` Did you mean '${close}'?`;
  throw usageError(`Unknown field '${wrong}'.${hint} Fields: ${known.join(", ")}.`);
}

/** What is at a path such as `budget.limit`. */
export function valueAt(row: object, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }, row);
}
