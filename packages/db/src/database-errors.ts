const CONNECTION_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EPIPE"]);
// Statement or lock timeout, too many connections, or a server that is starting, stopping, or read-only.
const AWAY_STATES = /^(?:57014|55P03|53300|57P0[1-3]|08...|25006)$/;
const AWAY_MESSAGES =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|not queryable/;

/** Reports whether an error means that the database is slow or unavailable, rather than that the query is invalid. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { code = "", message = "", cause } = error as { code?: string; message?: string; cause?: unknown };
  if (CONNECTION_CODES.has(code) || AWAY_STATES.test(code) || AWAY_MESSAGES.test(message)) return true;
  return cause !== undefined && cause !== null && isDatabaseUnavailable(cause);
}

/** Reports whether the error is a violation of this unique constraint or index. */
export function isDuplicate(error: unknown, constraint: string): boolean {
  const { code, constraint: named } = error as { code?: string; constraint?: string };
  return code === "23505" && named === constraint;
}
