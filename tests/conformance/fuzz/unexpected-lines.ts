import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";

/**
 * Returns the lines of an instance's log that generated requests should not cause. A warning that the database did not
 * answer in time is about the machine: its processor or disk can be busy for seconds. Requests then get a 503, and every
 * response is checked.
 */
export function unexpectedLines(log: string): readonly string[] {
  return log.split("\n").filter((line) => line !== "" && !isAboutSlowDatabase(line));
}

const WARNING = 40;

function isAboutSlowDatabase(line: string): boolean {
  let entry: { readonly level?: number; readonly error?: object };
  try {
    entry = JSON.parse(line) as typeof entry;
  } catch {
    return false;
  }
  return entry.level === WARNING && entry.error !== undefined && isDatabaseUnavailable(entry.error);
}
