/** What a backup says of itself. Numbers that may pass 2^53 are text. */
export interface BackupManifest {
  readonly format: 1;
  /** The version that made it. */
  readonly version: string;
  readonly madeAt: string;
  /** Of the server it was read from. */
  readonly postgres: string;
  readonly schema: number;
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  readonly tables: readonly BackedUpTable[];
  readonly partitions: readonly Partition[];
  readonly sequences: readonly { readonly name: string; readonly value: string; readonly isCalled: boolean }[];
  readonly totals: BackupTotals;
}

/** What of the books must be the same afterwards. Amounts are nano-USD. */
export interface BackupTotals {
  readonly organizations: string;
  readonly balance: string;
  readonly transactions: string;
  readonly posted: string;
  readonly calls: string;
}

export interface BackedUpTable {
  /** As SQL names it: our own without a schema. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Of its rows as `copy` writes them. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface Partition {
  readonly parent: string;
  readonly name: string;
  /** Such as `FOR VALUES FROM ('2026-01-01') TO ('2026-01-02')`. */
  readonly bound: string;
}

export const MANIFEST = "manifest.json";
export const MANIFEST_SUM = "manifest.sha256";

/** The name of a piece of a table's rows. */
export const pieceName = (table: string, piece: number): string =>
  `tables/${table}/${String(piece).padStart(6, "0")}.copy.gz`;

/** The table that a piece belongs to, or null. */
export const tableOfPiece = (name: string): string | null => /^tables\/(.+)\/\d{6}\.copy\.gz$/.exec(name)?.[1] ?? null;
