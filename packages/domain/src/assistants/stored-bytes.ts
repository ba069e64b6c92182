import { formatBytes } from "../figures/size-text.ts";

/** Maximum stored bytes of assistants, threads, runs, and responses. */
export interface StorageLimits {
  readonly perKey: number;
  readonly perOrganization: number;
  /** Limit of an organization without credit; null if billing is disabled. */
  readonly withoutCredit: number | null;
}

/** The limit of stored bytes that a write would exceed. */
export interface FullStorage {
  /** `unpaid`: the limit of organizations without credit. */
  readonly reason: "key" | "organization" | "unpaid";
  readonly current: number;
  readonly maximum: number;
}

/** Size of a record's row and index entries, so that many small records are not free. */
const ROW_BYTES = 256;

/** Returns the bytes that an encrypted record counts with. The SQL function `record_bytes` computes the same. */
export function recordBytes(record: string): number {
  return record.length + ROW_BYTES;
}

/** Describes a reached limit. The owner is a phrase such as `Key 'production'`. */
export function describeFullStorage({ reason, current, maximum }: FullStorage, owner: string): string {
  const without = reason === "unpaid" ? " without credit" : "";
  return `${owner} stores ${formatBytes(current)}, and the maximum${without} is ${formatBytes(maximum)}.`;
}
