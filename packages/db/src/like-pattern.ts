/** Returns an `ilike` pattern that matches the literal text anywhere. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
