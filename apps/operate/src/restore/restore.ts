import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { BackupIsDamaged } from "@tollgate/db/backup/archive.ts";
import { checkBackup } from "@tollgate/db/backup/check-backup.ts";
import type { BackupManifest } from "@tollgate/db/backup/manifest.ts";
import { RestoreRefused, restoreBackup } from "@tollgate/db/backup/restore-backup.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS } from "../database/ledger-connection.ts";
import { withNewDatabase } from "../database/with-database.ts";
import type { OperatorIo } from "../operator-io.ts";

const USAGE = `Check a backup, or restore it to an empty database.

  tollgate restore --check tollgate-20260101T030000Z.tar
  DATABASE_URL=postgres://…/empty tollgate restore tollgate-20260101T030000Z.tar
  tollgate restore tollgate-20260101T030000Z.tar --data ./restored

  --check                Read the whole file and verify every row, without a database
  --data DIR             New data directory for \`tollgate dev\` (default: the database of DATABASE_URL or the settings)
  --json                 Print the result as one JSON line

Stop all processes that use the database during a restore. Then start the gateways with their existing journals: requests
made after the backup are settled from the journals. Exit codes: 0 success, 1 the file or the database can't be used.
`;

/** `tollgate restore`: checks a backup, or restores it into an empty database. */
export async function restore(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { check: { type: "boolean", default: false }, ...LEDGER_OPTIONS },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) return reportFailure(io, "Specify one backup file.", EXIT.usage);
  const path = resolve(io.cwd, file);
  const startedAtMs = performance.now();
  const tell = (done: string, manifest: BackupManifest, schema: number): number => {
    const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10;
    io.stdout.write(values.json ? asJson(manifest, schema, seconds) : describe(done, manifest, schema, seconds));
    return EXIT.ok;
  };
  try {
    // Check the backup file before a database is opened or created for it.
    const checked = await checkBackup(path);
    if (values.check) return tell("is valid", checked, checked.schema);
    return await withNewDatabase(values.data ?? null, io, async ({ connectionString }) => {
      return tell("was restored", checked, await restoreBackup(connectionString, path, checked));
    });
  } catch (error) {
    if (error instanceof BackupIsDamaged) return reportFailure(io, `${error.message}.`, EXIT.failure);
    if (error instanceof RestoreRefused)
      return reportFailure(io, `${error.message}. No changes were made.`, EXIT.failure);
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return reportFailure(io, `File not found: ${path}`, EXIT.usage);
    throw new Error(`The restore failed: ${(error as Error).message}. Recreate the database before you retry.`, {
      cause: error,
    });
  }
}

function asJson({ version, madeAt, totals, tables }: BackupManifest, schema: number, seconds: number): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${JSON.stringify({ ok: true, rows, seconds, version, schema, madeAt, totals })}\n`;
}

function describe(done: string, { version, madeAt, totals, tables }: BackupManifest, schema: number, seconds: number) {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return (
    `  ✓ the backup of ${madeAt} ${done}: ${rows} rows in ${tables.length} tables, ${seconds} s\n` +
    `    created by version ${version}, schema ${schema}, ${totals.organizations} organizations, ${totals.calls} requests\n`
  );
}
