import type { NanoUsd } from "../money.ts";

const DAY_MS = 86_400_000;
/** Number of days of the mean, of which the current one is incomplete. */
export const BURN_DAYS = 7;
/** Credit counts as low if it lasts less than this many days. */
const LOW_DAYS = 7;
/** Longest projection. A burn rate of a week says nothing about a later year. */
const HORIZON_DAYS = 365n;

/** `no_spend`: nothing to project from. `over_a_year`: the credit lasts longer than the projection. */
export const RUNWAYS = ["no_spend", "days", "over_a_year"] as const;
export type Runway = (typeof RUNWAYS)[number];

interface BurnProjection {
  readonly perDay: NanoUsd;
  readonly runway: Runway;
  /** Null unless the runway is in days. */
  readonly daysLeft: number | null;
  readonly emptyAt: Date | null;
  readonly lowAt: Date | null;
}

interface RecentSpend {
  /** Spend since the start of the mean. */
  readonly spent: NanoUsd;
  /** Start of the first of the last seven days, or the organization's creation if that is later. */
  readonly since: Date;
}

/**
 * Projects when credit runs out at the burn rate: the mean of the last seven days, of which the current one counts in
 * part. The mean covers at least one day, so that a new organization's first minutes are not taken for a habit.
 */
export function projectBurn({ spent, since }: RecentSpend, available: NanoUsd, now: Date): BurnProjection {
  const none = { daysLeft: null, emptyAt: null, lowAt: null };
  if (spent <= 0n) return { perDay: 0n, runway: "no_spend", ...none };
  const countedMs = BigInt(Math.max(DAY_MS, now.getTime() - since.getTime()));
  // Round to nearest, but never to zero, because there was spend.
  const mean = (spent * BigInt(DAY_MS) + countedMs / 2n) / countedMs;
  const perDay = mean > 0n ? mean : 1n;
  const left = available > 0n ? available : 0n;
  if (left > perDay * HORIZON_DAYS) return { perDay, runway: "over_a_year", ...none };
  const leftMs = Number((left * BigInt(DAY_MS)) / perDay);
  const emptyAt = new Date(now.getTime() + leftMs);
  const lowAt = new Date(emptyAt.getTime() - LOW_DAYS * DAY_MS);
  return { perDay, runway: "days", daysLeft: leftMs / DAY_MS, emptyAt, lowAt };
}
