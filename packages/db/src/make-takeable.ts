/** For `JSON.stringify`: text without what the database takes in no text, so that one odd name never stops a whole batch. */
export function sanitizeForPostgres(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\ufffd") : value;
}
