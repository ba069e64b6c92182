import { connect, type Database, type DatabaseRole } from "@tollgate/db/connect.ts";
import { inspectDatabase } from "@tollgate/db/inspect-database.ts";
import { withoutPassword } from "@tollgate/db/without-password.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import type { OperatorIo } from "../operator-io.ts";
import { withDatabase } from "./with-database.ts";

/** An open connection to the ledger database, for one command. */
export interface OpenLedger {
  readonly db: Database;
  /** True if the database was started only for this command, in which case no gateway or worker is running. */
  readonly isAtRest: boolean;
}

interface LedgerCommand {
  /** Data directory from `--data`, or null. */
  readonly data: string | null;
  readonly role: DatabaseRole;
  readonly work: (ledger: OpenLedger) => Promise<number>;
}

/** Options that all ledger commands share. `LEDGER_OPTIONS_USAGE` is the help text. */
export const LEDGER_OPTIONS = {
  data: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

export const LEDGER_OPTIONS_USAGE = `  --data DIR             Data directory of \`tollgate dev\`, running or not
                         (default: DATABASE_URL, then the settings file, then ./.tollgate)
  --json                 Print the result as one JSON line`;

// Use a long timeout: verification may read a year of calls, and no request waits for it.
const STATEMENT_LIMIT_MS = 30 * 60_000;
const ACQUIRE_LIMIT_MS = 10_000;

/** Runs the command on the selected database, then closes all resources that it opened. */
export function withLedger(command: LedgerCommand, io: OperatorIo): Promise<number> {
  return withDatabase(command.data, io, ({ connectionString, isAtRest: isQuiescent }) =>
    runAt(connectionString, isQuiescent, command, io),
  );
}

async function runAt(
  connectionString: string,
  isQuiescent: boolean,
  command: LedgerCommand,
  io: OperatorIo,
): Promise<number> {
  const problem = await findProblem(connectionString);
  if (problem !== null) {
    return reportFailure(io, `${withoutPassword(connectionString)}: ${problem}`, EXIT.temporary);
  }
  const db = connect({
    connectionString,
    role: command.role,
    poolSize: 1,
    applicationName: "tollgate ledger",
    statementLimitMs: STATEMENT_LIMIT_MS,
    acquireLimitMs: ACQUIRE_LIMIT_MS,
  });
  try {
    return await command.work({ db, isAtRest: isQuiescent });
  } finally {
    await db.destroy();
  }
}

/** Returns the reason that the ledger can't be read, or null if it can. */
async function findProblem(connectionString: string): Promise<string | null> {
  try {
    const { schemaNumber, knownSchemaNumber, isTooNew } = await inspectDatabase(connectionString);
    if (schemaNumber >= knownSchemaNumber && !isTooNew) return null;
    return `the database schema is ${schemaNumber}, but this version expects ${knownSchemaNumber}; use the matching version`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ECONNREFUSED" ? "connection refused" : message;
  }
}
