import { parseArgs } from "node:util";
import { migrate, readSchemaStatus, type SchemaStatus } from "@tollgate/db/migrate.ts";
import type { Migration } from "@tollgate/db/schema/read-migrations.ts";
import { SchemaRefused } from "@tollgate/db/schema/read-schema.ts";
import type { Progress } from "@tollgate/db/schema/retry-locks.ts";
import { MigrationRuns } from "@tollgate/db/schema/schema-lock.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE } from "../database/ledger-connection.ts";
import { withDatabase } from "../database/with-database.ts";
import type { OperatorIo } from "../operator-io.ts";

const USAGE = `Show and upgrade the database schema.

  tollgate migrate status
  tollgate migrate plan
  tollgate migrate up

  status                 Show the current schema, the schema of this version, any running migration, and the last failure
  plan                   List pending migrations and functions, and whether the previous version can keep running; makes
                         no changes
  up                     Apply pending migrations and functions without downtime; one process at a time, others wait up
                         to a minute
${LEDGER_OPTIONS_USAGE}

Exit codes: 0 done or nothing to do, 1 a migration failed, ${EXIT.temporary} the database is unavailable, another migration is running, or the
schema belongs to a later version that this version can't run on.
`;

const MAX_LISTED_FUNCTIONS = 5;

type Action = (connectionString: string, io: OperatorIo, isJson: boolean) => Promise<number>;

/** `tollgate migrate status`: shows the schema version without changing it. */
export const migrateStatus = (args: readonly string[], io: OperatorIo): Promise<number> => run(args, io, showStatus);
/** `tollgate migrate plan`: lists the pending migrations without applying them. */
export const migratePlan = (args: readonly string[], io: OperatorIo): Promise<number> => run(args, io, showPlan);
/** `tollgate migrate up`: migrates the database to this build's schema. */
export const migrateUp = (args: readonly string[], io: OperatorIo): Promise<number> => run(args, io, bringUp);

async function run(args: readonly string[], io: OperatorIo, action: Action): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: LEDGER_OPTIONS });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  try {
    return await withDatabase(values.data ?? null, io, ({ connectionString }) =>
      action(connectionString, io, values.json),
    );
  } catch (error) {
    if (error instanceof SchemaRefused) return reportFailure(io, `${error.message}\n  ${error.advice}`, EXIT.temporary);
    if (error instanceof MigrationRuns) return reportFailure(io, error.message, EXIT.temporary);
    throw error;
  }
}

async function showStatus(connectionString: string, io: OperatorIo, isJson: boolean): Promise<number> {
  const status = await readSchemaStatus(connectionString);
  const { schemaNumber, knownSchemaNumber, missing, newer, pendingFunctions, lockHolder, failure } = status;
  if (isJson) {
    const line = {
      schema: schemaNumber,
      known: knownSchemaNumber,
      missing: missing.length,
      newer: newer.length,
      functions: pendingFunctions,
      lockHolder,
      failure,
    };
    io.stdout.write(`${JSON.stringify(line)}\n`);
    return EXIT.ok;
  }
  io.stdout.write(`  schema ${schemaNumber}, this version expects ${knownSchemaNumber}: ${describeStatus(status)}\n`);
  if (lockHolder !== null) io.stdout.write(`  a migration has been running since ${lockHolder}\n`);
  if (failure !== null) {
    io.stdout.write(`  version ${failure.release} failed at ${failure.failedAt.toISOString()}: ${failure.reason}\n`);
  }
  return EXIT.ok;
}

function describeStatus({ missing, newer, pendingFunctions }: SchemaStatus): string {
  if (newer.length > 0) return "upgraded by a later version; this version can still use the schema";
  const pending = [
    ...(missing.length === 0 ? [] : [`${missing.length} pending`]),
    ...(pendingFunctions.length === 0 ? [] : [describeFunctions(pendingFunctions)]),
  ];
  return pending.length === 0 ? "up to date" : `${pending.join(", ")}; apply with \`tollgate migrate up\``;
}

function describeFunctions(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED_FUNCTIONS).join(", ");
  const more = names.length > MAX_LISTED_FUNCTIONS ? ", …" : "";
  return `${names.length} ${names.length === 1 ? "function" : "functions"} to replace (${listed}${more})`;
}

async function showPlan(connectionString: string, io: OperatorIo, isJson: boolean): Promise<number> {
  const { missing, pendingFunctions } = await readSchemaStatus(connectionString);
  if (isJson) {
    const migrations = missing.map(({ name, runsFrom, indexes }) => ({ name, runsFrom, isOnline: indexes !== null }));
    io.stdout.write(`${JSON.stringify({ migrations, functions: pendingFunctions })}\n`);
    return EXIT.ok;
  }
  if (missing.length === 0) io.stdout.write("  no pending migrations\n");
  for (const migration of missing) io.stdout.write(`  ${migration.name.padEnd(32)} ${describeKind(migration)}\n`);
  if (pendingFunctions.length > 0) io.stdout.write(`  ${describeFunctions(pendingFunctions)}\n`);
  return EXIT.ok;
}

function describeKind({ runsFrom, indexes }: Migration): string {
  if (runsFrom !== null)
    return `contract: versions for schema ${runsFrom} or later can keep running; stop older versions first`;
  return indexes === null ? "expand: the previous version can keep running" : "expand: builds indexes without downtime";
}

async function bringUp(connectionString: string, io: OperatorIo, isJson: boolean): Promise<number> {
  const startedAtMs = performance.now();
  const applied = await migrate(connectionString, {
    report: (progress) => io.stderr.write(`  ${describeProgress(progress)}\n`),
  });
  const { schemaNumber } = await readSchemaStatus(connectionString);
  const seconds = Math.round(performance.now() - startedAtMs) / 1_000;
  if (isJson) io.stdout.write(`${JSON.stringify({ applied, schema: schemaNumber, seconds })}\n`);
  else io.stdout.write(`  ✓ schema ${schemaNumber}, ${applied} applied in ${seconds.toFixed(1)} s\n`);
  return EXIT.ok;
}

function describeProgress(progress: Progress): string {
  switch (progress.kind) {
    case "lock held":
      return `waiting: another migration has been running since ${progress.holder}`;
    case "applying":
      return progress.migration;
    case "applying functions":
      return describeFunctions(progress.names);
    case "waiting":
      return `${progress.change}: table in use; retrying (${progress.tries} attempts, ${progress.triesLeft} left)`;
    case "building":
      return `index ${progress.index} on ${progress.table}`;
  }
}
