/**
 * Converts amounts to exact bigints. JSON numbers are inexact above 2^53, so amounts are read from the record's `usd`
 * field, which holds them as text with nine decimal places.
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

/** Fills in grouped amounts, such as a key's usage by day, week, and month, from the parent record's `usd`. */
function fillGroup(member: unknown, amounts: readonly (readonly [string, bigint])[]): unknown {
  if (typeof member !== "object" || member === null || Array.isArray(member) || "usd" in member) return member;
  const held = amounts.filter(([name]) => typeof (member as Record<string, unknown>)[name] === "number");
  return held.length === 0 ? member : { ...member, ...Object.fromEntries(held) };
}

/** Serializes a request body. Amounts are sent as digit strings, so that no intermediary can round them. */
export function writeAmounts(body: object): string {
  return JSON.stringify(body, (_, member: unknown) => (typeof member === "bigint" ? member.toString() : member));
}
