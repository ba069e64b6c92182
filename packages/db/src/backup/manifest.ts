/** Backup metadata. Numbers that can exceed 2^53 are strings. */
export interface BackupManifest {
  readonly format: 1;
  /** Tollgate version that wrote the backup. */
  readonly version: string;
  readonly madeAt: string;
  /** Version of the PostgreSQL server that was backed up. */
  readonly postgres: string;
  readonly schema: number;
  readonly migrations: readonly BackedUpMigration[];
  readonly tables: readonly BackedUpTable[];
  readonly partitions: readonly Partition[];
  readonly sequences: readonly { readonly name: string; readonly value: string; readonly isCalled: boolean }[];
  readonly totals: BackupTotals;
}

interface BackedUpMigration {
  readonly name: string;
  readonly checksum: string;
  /** Absent in backups of earlier releases. */
  readonly appliedAt?: string;
}

/** Totals that must be the same after a restore. Amounts are nano-USD. */
export interface BackupTotals {
  readonly organizations: string;
  readonly balance: string;
  readonly transactions: string;
  readonly posted: string;
  readonly calls: string;
}

export interface BackedUpTable {
  /** SQL name; tables in Tollgate's own schema are unqualified. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Size of the rows in `copy` format. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface Partition {
  readonly parent: string;
  readonly name: string;
  /** Partition bound, for example `FOR VALUES FROM ('2026-01-01') TO ('2026-01-02')`. */
  readonly bound: string;
}

export const MANIFEST = "manifest.json";
export const MANIFEST_SUM = "manifest.sha256";

/** Returns the file name of a piece of a table's rows. */
export const pieceName = (table: string, piece: number): string =>
  `tables/${table}/${String(piece).padStart(6, "0")}.copy.gz`;

/** Returns the table that a piece belongs to, or null. */
export const tableOfPiece = (name: string): string | null => /^tables\/(.+)\/\d{6}\.copy\.gz$/.exec(name)?.[1] ?? null;
