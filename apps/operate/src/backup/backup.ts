import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { BackupIsDamaged } from "@tollgate/db/backup/archive.ts";
import { checkBackup } from "@tollgate/db/backup/check-backup.ts";
import { BackupRefused, type WrittenBackup, writeBackup } from "@tollgate/db/backup/write-backup.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE } from "../database/ledger-connection.ts";
import { withDatabase } from "../database/with-database.ts";
import type { OperatorIo } from "../operator-io.ts";

const USAGE = `Back up the database to one consistent file while the server runs.

  tollgate backup --out /var/backups/tollgate
  tollgate backup --out before-upgrade.tar
  tollgate backup --out ./backups --data ./.tollgate

  --check                Read the finished file again and verify every row
  --out FILE|DIR         File to write; in an existing directory, the file is named by time. Files are never overwritten
${LEDGER_OPTIONS_USAGE}

The file contains user data, so protect it like the database. Secrets in it are encrypted with TOLLGATE_SECRET_KEY. The
file includes neither that key nor the gateway journals, so back up both. To check a file: tollgate restore --check FILE
`;

/** `tollgate backup`: writes a consistent copy of the database while the server keeps running. */
export async function backup(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { out: { type: "string" }, check: { type: "boolean", default: false }, ...LEDGER_OPTIONS },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  if (values.out === undefined) return reportFailure(io, "--out FILE|DIR is required.", EXIT.usage);
  const now = new Date();
  const path = choosePath(resolve(io.cwd, values.out), now);
  if (existsSync(path)) return reportFailure(io, `${path} already exists.`, EXIT.usage);
  return withDatabase(values.data ?? null, io, async ({ connectionString }) => {
    const startedAtMs = performance.now();
    try {
      const written = await writeBackup(connectionString, path, now);
      if (values.check) await checkBackup(path);
      const seconds = (performance.now() - startedAtMs) / 1_000;
      io.stdout.write(values.json ? asJson(path, written, seconds) : describe(path, written, seconds));
      return EXIT.ok;
    } catch (error) {
      if (error instanceof BackupRefused || error instanceof BackupIsDamaged) {
        return reportFailure(io, `${error.message}.`, EXIT.failure);
      }
      // These are file system errors. Database errors are handled above.
      if (["ENOENT", "EACCES", "ENOSPC", "EROFS", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) {
        return reportFailure(io, (error as Error).message, EXIT.failure);
      }
      throw error;
    }
  });
}

function choosePath(out: string, now: Date): string {
  const isFolder = existsSync(out) && statSync(out).isDirectory();
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  return isFolder ? join(out, `tollgate-${time}.tar`) : out;
}

function asJson(path: string, { manifest, bytes }: WrittenBackup, seconds: number): string {
  const { version, schema, madeAt, totals, tables } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${JSON.stringify({ file: path, bytes, rows, seconds: round(seconds), version, schema, madeAt, totals })}\n`;
}

function describe(path: string, { manifest, bytes }: WrittenBackup, seconds: number): string {
  const { version, schema, totals, tables } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return (
    `  ✓ ${path}\n    ${rows} rows in ${tables.length} tables, ${(bytes / 1e6).toFixed(1)} MB, ${round(seconds)} s\n` +
    `    version ${version}, schema ${schema}, ${totals.organizations} organizations, ${totals.calls} requests\n`
  );
}

const round = (seconds: number): number => Math.round(seconds * 10) / 10;
