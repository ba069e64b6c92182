import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOwner } from "./data-lock.ts";
import { isRunning } from "./process-identity.ts";

/** How to reach the embedded database. The file is readable by its owner alone. */
export interface EmbeddedConnection {
  readonly port: number;
  readonly password: string;
}

export const EMBEDDED_USER = "tollgate";

/** The folder of the embedded database inside a data folder. */
export function embeddedFolder(dataDir: string): string {
  return join(dataDir, "postgres");
}

/** The address of the embedded database that another process runs on this data folder, or null when none does. */
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

/** Replaces the file as a whole, so that a reader never sees half of it. */
export function writeConnectionFile(folder: string, connection: EmbeddedConnection): void {
  const draft = `${connectionFile(folder)}.new`;
  writeFileSync(draft, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
  renameSync(draft, connectionFile(folder));
}

export function toConnectionString({ port, password }: EmbeddedConnection): string {
  return `postgres://${EMBEDDED_USER}:${password}@127.0.0.1:${port}/postgres`;
}

const connectionFile = (folder: string) => join(folder, "connection.json");
