/**
 * Encodes JSON with amounts as decimal strings, so that the database reads 64-bit integers without loss. Infinity
 * becomes null.
 */
export function writeAmounts(value: unknown): string {
  return JSON.stringify(value, (_, field) => (typeof field === "bigint" ? field.toString() : field));
}
