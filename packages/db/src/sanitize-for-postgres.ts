/**
 * `JSON.stringify` replacer that removes characters PostgreSQL can't store, so that one odd name never fails a whole
 * batch.
 */
export function sanitizeForPostgres(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\ufffd") : value;
}
