import type { NanoUsd } from "../money.ts";

const DAY_MS = 86_400_000;
const MEAN_DAYS = 7;
/** With less than so many days left, credit counts as low. */
const LOW_DAYS = 7;
/** Further ahead nobody can tell, and calendars end. */
const MAX_DAYS = 3_650n;

export interface BurnProjection {
  readonly perDay: NanoUsd;
  /** Null while nothing is spent, or when it lasts longer than anybody can tell. */
  readonly daysLeft: number | null;
  readonly emptyAt: Date | null;
  readonly lowAt: Date | null;
}

/**
 * Until when credit lasts if it goes on being spent as in the last whole days, seven at most. `costs` are those of days,
 * oldest first, the last of them not over yet; of those, `wholeDays` were there to be spent in.
 */
export function projectBurn(
  costs: readonly NanoUsd[],
  wholeDays: number,
  available: NanoUsd,
  now: Date,
): BurnProjection {
  const counted = BigInt(Math.min(MEAN_DAYS, Math.max(0, wholeDays)));
  const spent = costs.slice(0, -1).reduce((total, cost) => total + cost, 0n);
  // To the nearest, so that a mean of less than a nano-USD is none.
  const perDay = counted === 0n ? 0n : (spent + counted / 2n) / counted;
  const left = available > 0n ? available : 0n;
  if (perDay <= 0n || left > perDay * MAX_DAYS) return { perDay, daysLeft: null, emptyAt: null, lowAt: null };
  const leftMs = Number((left * BigInt(DAY_MS)) / perDay);
  const emptyAt = new Date(now.getTime() + leftMs);
  return { perDay, daysLeft: leftMs / DAY_MS, emptyAt, lowAt: new Date(emptyAt.getTime() - LOW_DAYS * DAY_MS) };
}
