import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { connect, type Database, type DatabaseRole } from "@tollgate/db/connect.ts";
import { inspectDatabase } from "@tollgate/db/inspect-database.ts";
import { embeddedFolder, readEmbeddedConnection } from "../embedded-postgres/embedded-connection.ts";
import { startEmbeddedPostgres } from "../embedded-postgres/start-embedded-postgres.ts";
import { loadServeSettings, SettingsRefused, settingsFiles } from "../load-serve-settings.ts";
import { withoutPassword } from "../prepare-database.ts";
import { EXIT, type Io, reportFailure } from "./exit.ts";

/** The books, open for one command. */
export interface OpenLedger {
  readonly db: Database;
  /** The database runs for this command alone, so no gateway or worker does. */
  readonly isAtRest: boolean;
}

export interface LedgerCommand {
  /** A data folder as given with `--data`, or null. */
  readonly data: string | null;
  readonly role: DatabaseRole;
  readonly work: (ledger: OpenLedger) => Promise<number>;
}

/** What every command on the database takes, and below what its help says of that. */
export const LEDGER_OPTIONS = {
  data: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

export const LEDGER_OPTIONS_USAGE = `  --data DIR             the data folder of \`tollgate dev\`, running or not
                         (otherwise DATABASE_URL, otherwise the settings file, otherwise ./.tollgate)
  --json                 the result as one line of JSON`;

const DATA_FOLDER = ".tollgate";
// A check reads a year of calls; nobody's request waits for it.
const STATEMENT_LIMIT_MS = 30 * 60_000;

/** Runs the command's work on the database it names, and closes whatever had to be opened for it. */
export async function withLedger(command: LedgerCommand, io: Io): Promise<number> {
  try {
    const place = findPlace(command.data, io);
    if (place.kind === "nowhere") return reportFailure(io, place.reason, EXIT.usage);
    if (place.kind === "address") return await runAt(place.connectionString, false, command, io);
    return await runOnEmbedded(place.dataDir, command, io);
  } catch (error) {
    if (error instanceof SettingsRefused) {
      io.stderr.write(error.message);
      return EXIT.usage;
    }
    if (!isAboutConnection(error)) throw error;
    return reportFailure(io, `The database went away: ${(error as Error).message}`, EXIT.temporary);
  }
}

async function runOnEmbedded(dataDir: string, command: LedgerCommand, io: Io): Promise<number> {
  const running = readEmbeddedConnection(dataDir);
  if (running !== null) return runAt(running, false, command, io);
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    return await runAt(postgres.connectionString, true, command, io);
  } finally {
    await postgres.stop();
  }
}

type Place =
  | { readonly kind: "address"; readonly connectionString: string }
  | { readonly kind: "folder"; readonly dataDir: string }
  | { readonly kind: "nowhere"; readonly reason: string };

function findPlace(data: string | null, io: Io): Place {
  if (data !== null) return findFolder(resolve(io.cwd, data));
  if (io.env.DATABASE_URL) return { kind: "address", connectionString: io.env.DATABASE_URL };
  const files = settingsFiles(io.env);
  const configured = files.length > 0 ? loadServeSettings(files, io.env).general.databaseUrl : null;
  if (configured) return { kind: "address", connectionString: configured.reveal() };
  if (existsSync(resolve(io.cwd, DATA_FOLDER))) return findFolder(resolve(io.cwd, DATA_FOLDER));
  return { kind: "nowhere", reason: "No database is named: set DATABASE_URL, or give --data DIR." };
}

// Opening a folder without a database would make one, and a check of nothing would find nothing wrong.
function findFolder(dataDir: string): Place {
  if (existsSync(join(embeddedFolder(dataDir), "data"))) return { kind: "folder", dataDir };
  return { kind: "nowhere", reason: `There is no database in ${dataDir}.` };
}

async function runAt(connectionString: string, isAtRest: boolean, command: LedgerCommand, io: Io): Promise<number> {
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
  });
  try {
    return await command.work({ db, isAtRest });
  } finally {
    await db.destroy();
  }
}

/** Why the ledger cannot be read there, or null. */
async function findProblem(connectionString: string): Promise<string | null> {
  try {
    const { schemaNumber, knownSchemaNumber } = await inspectDatabase(connectionString);
    if (schemaNumber === knownSchemaNumber) return null;
    return `its schema is ${schemaNumber}, this build reads ${knownSchemaNumber}; use the version that runs on it`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ECONNREFUSED" ? "connection refused" : message;
  }
}

// Its own codes are five characters; those of the system are words.
function isAboutConnection(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    /^(E[A-Z]+|57P0\d|08\d{3})$/.test(code ?? "") ||
    /^(Connection terminated|timeout exceeded|Query read timeout)/.test(message)
  );
}
