/** JSON with amounts as decimal text, which a 64-bit number of a database is read from without loss. No end is null. */
export function writeAmounts(value: unknown): string {
  return JSON.stringify(value, (_, field) => (typeof field === "bigint" ? field.toString() : field));
}
