import { setTimeout as pause } from "node:timers/promises";
import { migrate, SchemaIsNewer } from "@tollgate/db/migrate.ts";

/** The database cannot be used, with the text that says why and what to try. */
export class DatabaseUnreachable extends Error {}

const RETRY_MS = 500;
const PASSING_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "57P03"]);

/** Waits for the database and brings it to this build's schema; tells how many migrations that took. */
export async function prepareDatabase(connectionString: string, waitSeconds: number): Promise<number> {
  const deadlineMs = performance.now() + waitSeconds * 1_000;
  for (let tries = 1; ; tries += 1) {
    try {
      return await migrate(connectionString);
    } catch (error) {
      if (error instanceof SchemaIsNewer) throw new DatabaseUnreachable(`${error.message}\n  ${error.advice}`);
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (!PASSING_CODES.has(code) || performance.now() > deadlineMs) {
        throw describe(error, connectionString, tries, waitSeconds);
      }
      await pause(RETRY_MS);
    }
  }
}

function describe(error: unknown, connectionString: string, tries: number, waitSeconds: number): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  const reason = code === "ECONNREFUSED" ? "connection refused" : message;
  return new DatabaseUnreachable(
    `Cannot reach the database\n  ${withoutPassword(connectionString)} → ${reason} after ${tries} tries in ${waitSeconds} s\n` +
      `  • is the server started, and is this its address?\n` +
      `  • inside a container "localhost" is the container itself; use the service name\n` +
      `  Waiting is possible: TOLLGATE_DB_WAIT=60`,
  );
}

/** An address that can be shown. */
export function withoutPassword(connectionString: string): string {
  try {
    const url = new URL(connectionString);
    if (url.password !== "") url.password = "***";
    return url.toString();
  } catch {
    return "the given DATABASE_URL";
  }
}
