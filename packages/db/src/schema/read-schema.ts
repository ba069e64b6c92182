import type { Client } from "pg";
import type { Migration } from "./read-migrations.ts";

/** A migration that a database has, as it wrote it down. */
export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  /** The version that applied it. */
  readonly release: string;
  readonly appliedAt: Date;
  readonly runsFrom: number | null;
}

/** How a database stands to a build that may run on it. */
export interface SchemaComparison {
  readonly schemaNumber: number;
  /** What this build would apply, in order. */
  readonly missing: readonly Migration[];
  /** What a later release added. This build runs beside it. */
  readonly newer: readonly AppliedMigration[];
}

/** The database was last changed by a newer release. `advice` says what an operator can do. */
export class SchemaIsNewer extends Error {
  readonly advice: string;
  constructor(schemaNumber: number, knownNumber: number, release: string) {
    super(`Database schema is newer than this version (schema ${schemaNumber}, this build supports ${knownNumber})`);
    this.name = "SchemaIsNewer";
    this.advice = `Start version ${release} or later, or restore the backup taken before the upgrade. Nothing was changed.`;
  }
}

/** What the database has; nothing before its first migration. */
export async function readApplied(client: Client): Promise<AppliedMigration[]> {
  const table = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  );
  if (table.rows[0]?.exists !== true) return [];
  // By way of JSON, because a database of the first release has no such column.
  const { rows } = await client.query<AppliedMigration>(
    `select number, name, checksum, release, applied_at as "appliedAt", (to_jsonb(m) ->> 'runs_from')::int as "runsFrom"
       from schema_migrations as m order by number`,
  );
  return rows;
}

/** Whether a later release took away what a build of that schema needs. What only adds lets it run on. */
export function isTooNew(applied: readonly AppliedMigration[], knownNumber: number): boolean {
  return applied.some(({ number, runsFrom }) => number > knownNumber && (runsFrom ?? 0) > knownNumber);
}

/** Throws where this build must not run; otherwise tells what it would apply, and what it will run beside. */
export function compareSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): SchemaComparison {
  const newer = applied.filter(({ number }) => number > migrations.length);
  const newest = applied.at(-1);
  if (newest !== undefined && isTooNew(applied, migrations.length)) {
    throw new SchemaIsNewer(newest.number, migrations.length, newest.release);
  }
  for (const { number, name, checksum } of applied) {
    const own = migrations[number - 1];
    if (own !== undefined && own.checksum !== checksum) {
      throw new Error(
        `migration ${name} differs from the one applied to this database; merged migrations must not be edited`,
      );
    }
  }
  const known = new Set(applied.map(({ number }) => number));
  return {
    schemaNumber: newest?.number ?? 0,
    missing: migrations.filter(({ number }) => !known.has(number)),
    newer,
  };
}
