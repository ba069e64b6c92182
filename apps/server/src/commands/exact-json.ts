// In the runtime for years and not yet in the compiler's library.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** JSON on one line, in which a bigint is an integer with all its digits. */
export function formatExactJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === "bigint" ? rawJSON(part.toString()) : part));
}
