import type { Client } from "pg";
import type { Migration } from "./read-migrations.ts";

/** A migration that was applied to a database. */
export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  /** Tollgate version that applied the migration. */
  readonly release: string;
  readonly appliedAt: Date;
  readonly runsFrom: number | null;
}

/** Comparison of a database schema with a build that can run on it. */
export interface SchemaComparison {
  readonly schemaNumber: number;
  /** Migrations that this build would apply, in order. */
  readonly missing: readonly Migration[];
  /** Migrations from a later release that this build is compatible with. */
  readonly newer: readonly AppliedMigration[];
}

/** Thrown if a newer, incompatible release migrated the database. `advice` is for the operator. */
export class SchemaIsNewer extends Error {
  readonly advice: string;
  constructor(schemaNumber: number, knownNumber: number, release: string) {
    super(`Database schema is newer than this version (schema ${schemaNumber}, this build supports ${knownNumber})`);
    this.name = "SchemaIsNewer";
    this.advice = `Start version ${release} or later, or restore the backup taken before the upgrade. No changes were made.`;
  }
}

/** Reads the applied migrations; empty before the first migration. */
export async function readApplied(client: Client): Promise<AppliedMigration[]> {
  const table = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  );
  if (table.rows[0]?.exists !== true) return [];
  // Read the column through JSON, because databases from the first release don't have it.
  const { rows } = await client.query<AppliedMigration>(
    `select number, name, checksum, release, applied_at as "appliedAt", (to_jsonb(m) ->> 'runs_from')::int as "runsFrom"
       from schema_migrations as m order by number`,
  );
  return rows;
}

/**
 * Reports whether a later release removed something that a build for the given schema needs. Additive changes are
 * compatible.
 */
export function isTooNew(applied: readonly AppliedMigration[], knownNumber: number): boolean {
  return applied.some(({ number, runsFrom }) => number > knownNumber && (runsFrom ?? 0) > knownNumber);
}

/** Compares the applied migrations with this build's migrations. Throws if this build must not run on the database. */
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
