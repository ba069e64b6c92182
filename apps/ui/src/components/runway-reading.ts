import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatTime } from "../format/time.ts";

/** Data for the meter: the balance, and the mean daily spend over the last seven days, the current one in part. */
export interface Burn {
  readonly perDay: bigint;
  /** The organization's time zone, which defines its days. */
  readonly timezone: string;
  readonly balance: bigint;
  readonly runway: "no_spend" | "days" | "over_a_year";
  /** Null unless the runway is in days. */
  readonly daysLeft: number | null;
  readonly emptyAt: string | null;
  readonly lowAt: string | null;
  readonly blockedSince: string | null;
  readonly pendingPurchases: readonly { readonly id: string; readonly amount: bigint }[];
}

/**
 * `unspent`: no spend, so the number of days can't be estimated. `empty`: no balance, but no request has been refused
 * yet.
 */
type RunwayState = "healthy" | "low" | "blocked" | "unspent" | "empty";

export interface Runway {
  readonly state: RunwayState;
  /** Shares of the meter's 30 days. */
  readonly solid: number;
  readonly lasts: number;
  /**
   * Share including payments that haven't been credited yet; null if these payments don't extend the runway on the
   * meter.
   */
  readonly withPending: number | null;
  readonly days: string;
}

/** Length of the meter in days. */
export const RUNWAY_DAYS = 30;
/** Number of days below which the runway is low. */
export const LOW_DAYS = 7;

/** Computes the meter's state and the length of its parts. */
export function readRunway({ balance, perDay, runway, daysLeft, blockedSince, pendingPurchases }: Burn): Runway {
  const state = stateOf(balance, runway, daysLeft, blockedSince);
  const isEndless = state === "unspent" || (state === "healthy" && daysLeft === null);
  const days = isEndless ? RUNWAY_DAYS : (daysLeft ?? 0);
  const pending = pendingPurchases.reduce((sum, { amount }) => sum + amount, 0n);
  // Pending payments cover a negative balance first.
  const reached = perDay > 0n ? Number(((balance + pending) * 1_000n) / perDay) / 1_000 : null;
  return {
    state,
    // If the balance doesn't run out within a year, the meter has no low period.
    solid: isEndless ? 1 : shareOf(days - LOW_DAYS),
    lasts: shareOf(days),
    withPending: pending > 0n && reached !== null && reached > days && days < RUNWAY_DAYS ? shareOf(reached) : null,
    days: daysText(state, daysLeft),
  };
}

/** Describes the meter in a sentence. */
export function describeRunway(burn: Burn): string {
  const { state, days } = readRunway(burn);
  const balance = `Balance ${formatMoney(burn.balance)}`;
  if (state === "blocked") return `${balance}. Requests are refused.`;
  if (state === "empty") return `${balance}. Add credits to call models.`;
  if (state === "unspent") return `${balance}, no spend in the last 7 days.`;
  const left = days
    .replace("More", "more")
    .replace(", low", " left, low")
    .replace(/(days?|year)$/, "$1 left");
  const end = burn.emptyAt === null ? "" : `, until ${formatTime(burn.emptyAt, "day", burn.timezone)}`;
  return `${balance}, ${left} at ${formatMoney(burn.perDay)} per day${end}.`;
}

function stateOf(
  balance: bigint,
  runway: Burn["runway"],
  daysLeft: number | null,
  blockedSince: string | null,
): RunwayState {
  if (blockedSince !== null) return "blocked";
  if (balance <= 0n) return "empty";
  if (runway === "no_spend") return "unspent";
  return daysLeft !== null && daysLeft < LOW_DAYS ? "low" : "healthy";
}

function daysText(state: RunwayState, daysLeft: number | null): string {
  if (state === "blocked") return "Blocked";
  if (state === "empty") return "No credits";
  if (state === "unspent") return "No spend";
  if (daysLeft === null) return "More than a year";
  const shown = daysLeft >= 100 ? Math.floor(daysLeft).toLocaleString("en-US") : daysLeft.toFixed(1);
  return `${shown} ${shown === "1.0" ? "day" : "days"}${state === "low" ? ", low" : ""}`;
}

const shareOf = (days: number): number => Math.min(1, Math.max(0, days / RUNWAY_DAYS));
