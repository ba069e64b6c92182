import type { Client } from "pg";
import { firstNumber, type Migration, newestNumber } from "./read-migrations.ts";

/** A migration that was applied to a database. */
interface AppliedMigration {
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

/** Thrown if this build must not run on the database. `advice` is for the operator. */
export abstract class SchemaRefused extends Error {
  abstract readonly advice: string;
}

/** Thrown if a newer, incompatible release migrated the database. */
class SchemaIsNewer extends SchemaRefused {
  readonly advice: string;
  constructor(schemaNumber: number, knownNumber: number, release: string) {
    super(`Database schema is newer than this version (schema ${schemaNumber}, this build supports ${knownNumber})`);
    this.name = "SchemaIsNewer";
    this.advice = `Start version ${release} or later, or restore the backup taken before the upgrade. No changes were made.`;
  }
}

/** Thrown if a database has neither a migration nor exactly those that the migration replaces. */
export class SchemaIsUnknown extends SchemaRefused {
  readonly advice =
    "This version upgrades databases of 0.1.0 and later. Start 0.1.0 on an older database first. " +
    "A database of an unreleased build has to be created again. No changes were made.";
  constructor({ name, replaces }: Migration) {
    super(
      `Database migrations ${replaces.at(0)?.number} to ${replaces.at(-1)?.number} are not the ones that ${name} replaces`,
    );
    this.name = "SchemaIsUnknown";
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
  const knownNumber = newestNumber(migrations);
  const newest = applied.at(-1);
  if (newest !== undefined && isTooNew(applied, knownNumber)) {
    throw new SchemaIsNewer(newest.number, knownNumber, newest.release);
  }
  return {
    schemaNumber: newest?.number ?? 0,
    missing: migrations.filter((migration) => !isApplied(migration, applied)),
    newer: applied.filter(({ number }) => number > knownNumber),
  };
}

/**
 * Reports whether a database has a migration, or all migrations that it replaces. Throws if the database has others with
 * these numbers.
 */
export function isApplied(
  migration: Migration,
  applied: readonly Pick<AppliedMigration, "number" | "checksum">[],
): boolean {
  const { number, name, checksum, replaces } = migration;
  const found = applied.filter((row) => row.number >= firstNumber(migration) && row.number <= number);
  if (found.length === 0) return false;
  if (found.length === 1 && found[0]?.checksum === checksum) return true;
  if (replaces.length === 0) {
    throw new Error(
      `migration ${name} differs from the one applied to this database; merged migrations must not be edited`,
    );
  }
  const isAdopted = replaces.every((replaced, index) => found[index]?.checksum === replaced.checksum);
  if (!isAdopted || found.length !== replaces.length) throw new SchemaIsUnknown(migration);
  return true;
}
