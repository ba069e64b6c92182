import { toExactJson } from "./exact-json.ts";
import { valueAt } from "./pick-fields.ts";

/** Formats rows as CSV with a header. Escapes cells that a spreadsheet would run as a formula. */
export function formatCsv(rows: readonly object[], fields: readonly string[]): string {
  const lines = rows.map((row) => fields.map((field) => toCell(valueAt(row, field))).join(","));
  return [fields.map(toCell).join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "object" ? toExactJson(value) : String(value as string | number | bigint | boolean);
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
