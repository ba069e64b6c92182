import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { loadServeSettings, SettingsRefused, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import type { OperatorIo } from "../operator-io.ts";

/** The database that a command uses. */
interface OpenDatabase {
  readonly connectionString: string;
  /** True if the database was started only for this command, in which case no gateway or worker is running. */
  readonly isAtRest: boolean;
}

const DATA_FOLDER = ".tollgate";

/**
 * Runs a command on the database from `--data`, the environment, or the settings, then closes all resources that it
 * opened.
 */
export async function withDatabase(
  data: string | null,
  io: OperatorIo,
  work: (database: OpenDatabase) => Promise<number>,
): Promise<number> {
  return guard(io, async () => {
    const place = findPlace(data, io);
    if (place.kind === "nowhere") return reportFailure(io, place.reason, EXIT.usage);
    if (place.kind === "address") return work({ connectionString: place.connectionString, isAtRest: false });
    const running = io.apps.server.readEmbeddedConnection(place.dataDir);
    if (running !== null) return work({ connectionString: running, isAtRest: false });
    return onEmbedded(place.dataDir, io, work);
  });
}

/**
 * Runs a command that fills an empty database. If `--data` is given, the data directory must not contain a database
 * yet.
 */
export async function withNewDatabase(
  data: string | null,
  io: OperatorIo,
  work: (database: OpenDatabase) => Promise<number>,
): Promise<number> {
  if (data === null) return withDatabase(null, io, work);
  const dataDir = resolve(io.cwd, data);
  if (hasDatabase(dataDir, io)) {
    return reportFailure(io, `${dataDir} already contains a database. Use a new directory.`, EXIT.usage);
  }
  return guard(io, () => onEmbedded(dataDir, io, work));
}

async function onEmbedded(
  dataDir: string,
  io: OperatorIo,
  work: (database: OpenDatabase) => Promise<number>,
): Promise<number> {
  const postgres = await io.apps.server.startEmbeddedPostgres({ dataDir });
  try {
    return await work({ connectionString: postgres.connectionString, isAtRest: true });
  } finally {
    await postgres.stop();
  }
}

async function guard(io: OperatorIo, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SettingsRefused) {
      io.stderr.write(error.message);
      return EXIT.usage;
    }
    if (!isAboutConnection(error)) throw error;
    return reportFailure(io, `Lost the database connection: ${(error as Error).message}`, EXIT.temporary);
  }
}

type Place =
  | { readonly kind: "address"; readonly connectionString: string }
  | { readonly kind: "folder"; readonly dataDir: string }
  | { readonly kind: "nowhere"; readonly reason: string };

function findPlace(data: string | null, io: OperatorIo): Place {
  if (data !== null) return findFolder(resolve(io.cwd, data), io);
  if (io.env.DATABASE_URL) return { kind: "address", connectionString: io.env.DATABASE_URL };
  const files = settingsFiles(io.env);
  const configured =
    files.length > 0 ? loadServeSettings(files, io.env, io.apps.gateway.knownProviders).general.databaseUrl : null;
  if (configured) return { kind: "address", connectionString: configured.reveal() };
  if (existsSync(resolve(io.cwd, DATA_FOLDER))) return findFolder(resolve(io.cwd, DATA_FOLDER), io);
  return { kind: "nowhere", reason: "No database is configured. Set DATABASE_URL, or add --data DIR." };
}

// Rejects a folder without a database. Opening the folder would create an empty database, and checks would find no
// problems in it.
function findFolder(dataDir: string, io: OperatorIo): Place {
  if (hasDatabase(dataDir, io)) return { kind: "folder", dataDir };
  return { kind: "nowhere", reason: `No database found in ${dataDir}.` };
}

const hasDatabase = (dataDir: string, { apps }: OperatorIo): boolean =>
  existsSync(join(apps.server.embeddedFolder(dataDir), "data"));

// Matches connection errors. SQLSTATE codes have five characters; system codes are words.
function isAboutConnection(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    /^(E[A-Z]+|57P0\d|08\d{3})$/.test(code ?? "") ||
    /^(Connection terminated|timeout exceeded|Query read timeout)/.test(message)
  );
}
