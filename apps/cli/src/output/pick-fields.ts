import { usageError } from "../cli-error.ts";
import { closestTo } from "../closest-to.ts";

/** Returns the row with only the given fields, or the whole row if no fields are given. */
export function pickFields(row: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0 || typeof row !== "object" || row === null) return row;
  return Object.fromEntries(fields.map((field) => [field, valueAt(row, field) ?? null]));
}

/** If a field is unknown, throws an error that lists the known fields. Called before any request is sent. */
export function checkFields(fields: readonly string[], known: readonly string[]): void {
  const wrong = fields.find((field) => !known.includes(field.split(".")[0] as string));
  if (wrong === undefined) return;
  const close = closestTo(wrong, known);
  const hint = close === null ? "" : ` Did you mean '${close}'?`;
  throw usageError(`Unknown field '${wrong}'.${hint} Fields: ${known.join(", ")}.`);
}

/** Returns the value at a path such as `budget.limit`. */
export function valueAt(row: object, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }, row);
}
