import { type CsvValue, csvLine } from "@tollgate/domain/csv.ts";
import { toExactJson } from "./exact-json.ts";
import { valueAt } from "./pick-fields.ts";

/** Formats rows as CSV with a header. Escapes cells that a spreadsheet would run as a formula. */
export function formatCsv(rows: readonly object[], fields: readonly string[]): string {
  const lines = rows.map((row) => csvLine(fields.map((field) => toCsvValue(valueAt(row, field)))));
  return csvLine(fields) + lines.join("");
}

function toCsvValue(value: unknown): CsvValue {
  return typeof value === "object" && value !== null ? toExactJson(value) : (value as CsvValue);
}
