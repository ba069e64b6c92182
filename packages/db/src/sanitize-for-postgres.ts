/**
 * `JSON.stringify` replacer that removes characters PostgreSQL can't store, so that one odd name can't make a whole
 * batch fail.
 */
export function sanitizeForPostgres(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\ufffd") : value;
}
