import type { NanoUsd } from "../money.ts";

const DAY_MS = 86_400_000;
const MEAN_DAYS = 7;
/** Credit counts as low if it lasts less than this many days. */
const LOW_DAYS = 7;
/** Maximum projection. Later estimates are meaningless, and dates have an upper limit. */
const MAX_DAYS = 3_650n;

interface BurnProjection {
  readonly perDay: NanoUsd;
  /** Null if there is no spend, or if the credit lasts longer than the projection. */
  readonly daysLeft: number | null;
  readonly emptyAt: Date | null;
  readonly lowAt: Date | null;
}

/**
 * Projects when credit runs out at the burn rate of the last whole days, up to seven. `costs` are daily costs, oldest
 * first, ending with the current day. `wholeDays` is the number of whole days in which there could be spend.
 */
export function projectBurn(
  costs: readonly NanoUsd[],
  wholeDays: number,
  available: NanoUsd,
  now: Date,
): BurnProjection {
  const counted = BigInt(Math.min(MEAN_DAYS, Math.max(0, wholeDays)));
  const spent = costs.slice(0, -1).reduce((total, cost) => total + cost, 0n);
  // Round to nearest, so that a mean below half a nano-USD counts as zero.
  const perDay = counted === 0n ? 0n : (spent + counted / 2n) / counted;
  const left = available > 0n ? available : 0n;
  if (perDay <= 0n || left > perDay * MAX_DAYS) return { perDay, daysLeft: null, emptyAt: null, lowAt: null };
  const leftMs = Number((left * BigInt(DAY_MS)) / perDay);
  const emptyAt = new Date(now.getTime() + leftMs);
  return { perDay, daysLeft: leftMs / DAY_MS, emptyAt, lowAt: new Date(emptyAt.getTime() - LOW_DAYS * DAY_MS) };
}
