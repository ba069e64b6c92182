/** A number as text, which keeps its digits. A minus sign in front of it doesn't make it a formula. */
interface CsvNumber {
  readonly number: string;
}

export type CsvValue = string | number | bigint | boolean | Date | CsvNumber | null | undefined;

/**
 * Formats one line of a CSV file (RFC 4180). Text that a spreadsheet could read as a formula gets a leading apostrophe,
 * because names and request IDs come from callers.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(toCell).join(",")}\r\n`;
}

function toCell(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object") return value.number;
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r\n|%＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
