/** JSON with amounts as the digits they are, however large. */
export function toExactJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_, member: unknown) => (typeof member === "bigint" ? exactJson.rawJSON(member.toString()) : member),
    indent,
  );
}

/** The types of this language version do not know it yet. */
const exactJson = JSON as typeof JSON & { rawJSON(text: string): unknown };
