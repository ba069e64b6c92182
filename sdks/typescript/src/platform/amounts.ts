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
    .filter(([, text]) => typeof text === "string" && /^-?\d+\.\d{9}$/.test(text))
    .map(([name, text]) => [name, BigInt((text as string).replace(".", ""))] as const);
  const own = exact.filter(([name]) => name in value);
  const rest = exact.filter(([name]) => !(name in value));
  return Object.fromEntries([...members.map(([name, member]) => [name, fillGroup(member, rest)] as const), ...own]);
}

/** Amounts that a record keeps together, such as what a key used by day, week and month, are named in its own `usd`. */
function fillGroup(member: unknown, amounts: readonly (readonly [string, bigint])[]): unknown {
  if (typeof member !== "object" || member === null || Array.isArray(member) || "usd" in member) return member;
  const held = amounts.filter(([name]) => typeof (member as Record<string, unknown>)[name] === "number");
  return held.length === 0 ? member : { ...member, ...Object.fromEntries(held) };
}

/** The body of a request. Amounts go as strings of digits, which nothing on the way can round. */
export function writeAmounts(body: object): string {
  return JSON.stringify(body, (_, member: unknown) => (typeof member === "bigint" ? member.toString() : member));
}
