import { csvLine } from "@tollgate/domain/csv.ts";

/** A chart's values as text, for a table or a file. */
export interface ChartTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly foot?: readonly string[];
}

/** Encodes a table as CSV. Escapes cells that a spreadsheet would run as a formula. */
export function toCsv({ head, rows, foot }: ChartTable): string {
  const lines = [head, ...rows, ...(foot === undefined ? [] : [foot])];
  return lines.map((cells) => csvLine(cells.map(readNumber))).join("");
}

/** Formats dollars for a file: nine decimal places, no currency symbol, and no thousands separators. */
export function plainUsd(nano: bigint): string {
  const size = nano < 0n ? -nano : nano;
  const part = (size % 1_000_000_000n).toString().padStart(9, "0");
  return `${nano < 0n ? "-" : ""}${size / 1_000_000_000n}.${part}`;
}

/** Marks the text of a number, because a negative number is not a formula. */
function readNumber(text: string): string | { readonly number: string } {
  return /^-?\d+(\.\d+)?$/.test(text) ? { number: text } : text;
}
