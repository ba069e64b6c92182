/** Formats JSON with exact amounts of any size. */
export function toExactJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_, member: unknown) => (typeof member === "bigint" ? exactJson.rawJSON(member.toString()) : member),
    indent,
  );
}

/** The type definitions don't include `rawJSON` yet. */
const exactJson = JSON as typeof JSON & { rawJSON(text: string): unknown };
