import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Client } from "pg";
import { to as copyTo } from "pg-copy-streams";
import manifest from "../../package.json" with { type: "json" };
import { readMigrations } from "../schema/read-migrations.ts";
import { compareSchema, readApplied } from "../schema/read-schema.ts";
import { ArchiveWriter } from "./archive.ts";
import { type BackedUpTable, type BackupManifest, MANIFEST, MANIFEST_SUM, pieceName } from "./manifest.ts";
import { openClient } from "./open-client.ts";
import { listPartitions, listTables, readSequences, readTotals, type StoredTable } from "./read-catalog.ts";

/** Thrown with the reason if the database can't be backed up. */
export class BackupRefused extends Error {}

export interface WrittenBackup {
  readonly manifest: BackupManifest;
  readonly bytes: number;
}

/** Size of a piece before compression: small enough for memory and large enough to compress well. */
const PIECE_BYTES = 8 * 1024 * 1024;
const PACKING = { level: 4 };
const pack = promisify<Buffer, { level: number }, Buffer>(gzip);

/**
 * Writes a consistent snapshot of every row to a file while the system runs. The file contains no schema. A restore
 * creates the schema from the migrations.
 */
export async function writeBackup(connectionString: string, path: string, now: Date): Promise<WrittenBackup> {
  const client = await openClient(connectionString, "backup");
  try {
    const { newer, missing } = compareSchema(await readApplied(client), readMigrations());
    if (newer.length > 0 || missing.length > 0) {
      throw new BackupRefused("The database schema does not match this version; use the version that migrated it");
    }
    const tables = await listTables(client);
    const hidden = tables.filter(({ isHidden }) => isHidden);
    if (hidden.length > 0) {
      throw new BackupRefused(
        `This database user cannot read all rows of ${hidden.map(({ name }) => name).join(", ")}. ` +
          "Use the user that migrated the database",
      );
    }
    const archive = await ArchiveWriter.create(path);
    try {
      const written = await writeAll(client, tables, archive, now);
      await archive.finish();
      return { manifest: written, bytes: archive.bytes };
    } catch (error) {
      await archive.abandon();
      throw error;
    }
  } finally {
    await client.end();
  }
}

async function writeAll(
  client: Client,
  tables: readonly StoredTable[],
  archive: ArchiveWriter,
  now: Date,
): Promise<BackupManifest> {
  await client.query("begin isolation level repeatable read read only");
  // Lock before the first query takes the snapshot, so that no table is dropped or altered before it is read.
  await client.query(`lock table ${tables.map(({ name }) => name).join(", ")} in access share mode`);
  const applied = await readApplied(client);
  const partitions = await listPartitions(client);
  const totals = await readTotals(client);
  const written: BackedUpTable[] = [];
  for (const table of tables) written.push(await writeTable(client, table, archive));
  const server = await client.query<{ version: string }>("select current_setting('server_version') as version");
  const sequences = await readSequences(client);
  await client.query("commit");
  const result: BackupManifest = {
    format: 1,
    version: manifest.version,
    madeAt: now.toISOString(),
    postgres: server.rows[0]?.version ?? "",
    schema: applied.at(-1)?.number ?? 0,
    migrations: applied.map(({ name, checksum, appliedAt }) => ({
      name,
      checksum,
      appliedAt: appliedAt.toISOString(),
    })),
    tables: written,
    partitions,
    sequences,
    totals,
  };
  const body = Buffer.from(`${JSON.stringify(result, null, 1)}\n`);
  await archive.add({ name: MANIFEST, body });
  await archive.add({ name: MANIFEST_SUM, body: Buffer.from(createHash("sha256").update(body).digest("hex")) });
  return result;
}

async function writeTable(client: Client, table: StoredTable, archive: ArchiveWriter): Promise<BackedUpTable> {
  const { name, columns, isPartitioned } = table;
  const list = columns.join(", ");
  const source = isPartitioned ? `(select ${list} from ${name})` : `${name} (${list})`;
  const rows = client.query(copyTo(`copy ${source} to stdout`));
  const hash = createHash("sha256");
  let pieces = 0;
  let bytes = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const flush = async () => {
    if (heldBytes === 0) return;
    pieces += 1;
    await archive.add({ name: pieceName(name, pieces), body: await pack(Buffer.concat(held), PACKING) });
    held = [];
    heldBytes = 0;
  };
  for await (const chunk of rows as AsyncIterable<Buffer>) {
    hash.update(chunk);
    held.push(chunk);
    heldBytes += chunk.length;
    bytes += chunk.length;
    if (heldBytes >= PIECE_BYTES) await flush();
  }
  await flush();
  return { name, columns, rows: rows.rowCount, bytes, sha256: hash.digest("hex") };
}
