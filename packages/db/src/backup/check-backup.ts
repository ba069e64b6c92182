import { createHash, type Hash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { BackupIsDamaged, readArchive } from "./archive.ts";
import { type BackupManifest, MANIFEST, MANIFEST_SUM, tableOfPiece } from "./manifest.ts";

const LARGEST_PIECE = 1024 * 1024 * 1024;
const NEWLINE = 10;
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

interface Seen {
  readonly hash: Hash;
  rows: number;
  bytes: number;
}

/** Reads a complete backup and verifies the checksum of every row. Doesn't access a database. */
export async function checkBackup(path: string): Promise<BackupManifest> {
  const seen = new Map<string, Seen>();
  let manifest: Buffer | null = null;
  let sum: string | null = null;
  for await (const { name, body } of readArchive(path)) {
    if (name === MANIFEST) manifest = body;
    else if (name === MANIFEST_SUM) sum = body.toString("latin1");
    else count(seen, name, await unpackPiece(body, name));
  }
  if (manifest === null || sum === null) throw new BackupIsDamaged("it is truncated");
  if (createHash("sha256").update(manifest).digest("hex") !== sum) throw new BackupIsDamaged("its manifest is damaged");
  const parsed = JSON.parse(manifest.toString("utf8")) as BackupManifest;
  if (parsed.format !== 1) throw new BackupIsDamaged(`its format ${parsed.format} requires a later version`);
  for (const table of parsed.tables) {
    const found = seen.get(table.name);
    const digest = (found?.hash ?? createHash("sha256")).digest("hex");
    if ((found?.rows ?? 0) !== table.rows || (found?.bytes ?? 0) !== table.bytes || digest !== table.sha256) {
      throw new BackupIsDamaged(`the rows of ${table.name} do not match their checksum`);
    }
    seen.delete(table.name);
  }
  if (seen.size > 0) throw new BackupIsDamaged(`its manifest does not list ${[...seen.keys()].join(", ")}`);
  return parsed;
}

/** Decompresses a piece into rows in `copy` format. */
export async function unpackPiece(body: Buffer, name: string): Promise<Buffer> {
  try {
    return await unpack(body, { maxOutputLength: LARGEST_PIECE });
  } catch (error) {
    throw new BackupIsDamaged(`${name}: ${(error as Error).message}`);
  }
}

function count(seen: Map<string, Seen>, name: string, rows: Buffer): void {
  const table = tableOfPiece(name);
  if (table === null) throw new BackupIsDamaged(`it contains an unexpected file '${name}'`);
  let entry = seen.get(table);
  if (entry === undefined) {
    entry = { hash: createHash("sha256"), rows: 0, bytes: 0 };
    seen.set(table, entry);
  }
  entry.hash.update(rows);
  entry.bytes += rows.length;
  // `copy` escapes line breaks inside values, so each newline ends a row.
  for (let at = rows.indexOf(NEWLINE); at !== -1; at = rows.indexOf(NEWLINE, at + 1)) entry.rows += 1;
}
