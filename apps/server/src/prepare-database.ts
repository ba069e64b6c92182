import { setTimeout as pause } from "node:timers/promises";
import { migrate, readSchemaStatus } from "@tollgate/db/migrate.ts";
import { SchemaRefused } from "@tollgate/db/schema/read-schema.ts";
import { MigrationRuns } from "@tollgate/db/schema/schema-lock.ts";
import { withoutPassword } from "@tollgate/db/without-password.ts";

/** Thrown if the database can't be used. The message contains the reason and a suggested fix. */
export class DatabaseUnreachable extends Error {}

const RETRY_MS = 500;
const PASSING_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "57P03"]);

/** Thrown if the schema is outdated and this process must not migrate it. */
class SchemaIsBehind extends Error {}

/** Waits for the database and migrates it to this build's schema. Returns the number of applied migrations. */
export function prepareDatabase(connectionString: string, waitSeconds: number): Promise<number> {
  return withPatience(connectionString, waitSeconds, () => migrate(connectionString));
}

/** Waits for the database and for another process to migrate it to this build's schema. */
export async function awaitSchema(connectionString: string, waitSeconds: number): Promise<void> {
  await withPatience(connectionString, waitSeconds, async () => {
    const { schemaNumber, knownSchemaNumber, missing, pendingFunctions } = await readSchemaStatus(connectionString);
    if (missing.length === 0 && pendingFunctions.length === 0) return;
    const behind =
      missing.length === 0
        ? `Database functions are older than this version (${pendingFunctions.join(", ")})`
        : `Database schema is older than this version (schema ${schemaNumber}, this build needs ${knownSchemaNumber})`;
    throw new SchemaIsBehind(
      `${behind}\n` +
        "  Run `tollgate migrate up`, or start with TOLLGATE_MIGRATE_ON_START=true. No changes were made.\n" +
        "  To wait longer for a migration, set TOLLGATE_DB_WAIT=60",
    );
  });
}

async function withPatience<Result>(
  connectionString: string,
  waitSeconds: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadlineMs = performance.now() + waitSeconds * 1_000;
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SchemaRefused) throw new DatabaseUnreachable(`${error.message}\n  ${error.advice}`);
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (!(PASSING_CODES.has(code) || error instanceof SchemaIsBehind) || performance.now() > deadlineMs) {
        throw describe(error, connectionString, tries, waitSeconds);
      }
      await pause(RETRY_MS);
    }
  }
}

function describe(error: unknown, connectionString: string, tries: number, waitSeconds: number): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof SchemaIsBehind || error instanceof MigrationRuns) return new DatabaseUnreachable(message);
  if (code === undefined) return error as Error;
  const reason = code === "ECONNREFUSED" ? "connection refused" : message;
  return new DatabaseUnreachable(
    `Cannot reach the database\n  ${withoutPassword(connectionString)} → ${reason} after ${tries} attempts in ${waitSeconds} s\n` +
      `  • Is the database running, and is this URL correct?\n` +
      `  • Inside a container, "localhost" is the container itself. Use the service name.\n` +
      `  To wait longer, set TOLLGATE_DB_WAIT=60`,
  );
}
