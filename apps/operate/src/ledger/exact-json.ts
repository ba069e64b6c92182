// Node supports `JSON.rawJSON`, but TypeScript's library doesn't declare it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Formats a value as one line of JSON, with bigints as exact integers. */
export function formatExactJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === "bigint" ? rawJSON(part.toString()) : part));
}
