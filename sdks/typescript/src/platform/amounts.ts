/**
 * Amounts as bigint, exact however large. JSON numbers are not, above 2^53; but every record with amounts carries the
 * same in `usd` as text with nine digits after the point, and that is what is read.
 */
export function readAmounts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readAmounts);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, readAmounts(member)] as const);
  const { usd } = value as { usd?: unknown };
  if (typeof usd !== "object" || usd === null) return Object.fromEntries(members);
  const exact = Object.entries(usd)
    .filter(([name, text]) => name in value && typeof text === "string" && /^-?\d+\.\d{9}$/.test(text))
    .map(([name, text]) => [name, BigInt((text as string).replace(".", ""))] as const);
  return Object.fromEntries([...members, ...exact]);
}

/** The body of a request. Amounts go as strings of digits, which nothing on the way can round. */
export function writeAmounts(body: object): string {
  return JSON.stringify(body, (_, member: unknown) => (typeof member === "bigint" ? member.toString() : member));
}
