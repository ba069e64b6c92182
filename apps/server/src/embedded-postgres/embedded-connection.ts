import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOwner } from "./data-lock.ts";
import { isRunning } from "./process-identity.ts";

/** Connection data for the embedded database. Only the owner can read the file. */
export interface EmbeddedConnection {
  readonly port: number;
  readonly password: string;
}

export const EMBEDDED_USER = "tollgate";

/** Returns the embedded database's folder inside a data directory. */
export function embeddedFolder(dataDir: string): string {
  return join(dataDir, "postgres");
}

/** Returns the connection string of the embedded database if another process runs the database, otherwise null. */
export function readEmbeddedConnection(dataDir: string): string | null {
  const folder = embeddedFolder(dataDir);
  const owner = readOwner(folder);
  const connection = readConnectionFile(folder);
  return owner !== null && isRunning(owner) && connection !== null ? toConnectionString(connection) : null;
}

export function readConnectionFile(folder: string): EmbeddedConnection | null {
  try {
    return JSON.parse(readFileSync(connectionFile(folder), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Replaces the file atomically, so that readers never see a partial file. */
export function writeConnectionFile(folder: string, connection: EmbeddedConnection): void {
  const draft = `${connectionFile(folder)}.new`;
  writeFileSync(draft, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
  renameSync(draft, connectionFile(folder));
}

export function toConnectionString({ port, password }: EmbeddedConnection): string {
  return `postgres://${EMBEDDED_USER}:${password}@127.0.0.1:${port}/postgres`;
}

const connectionFile = (folder: string) => join(folder, "connection.json");
