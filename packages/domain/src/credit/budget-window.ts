/** Kind of spender that a budget limits. */
export type BudgetScope = "key" | "team" | "user" | "organization";

/** One period of one budget. A call belongs to the window it was admitted in. */
export interface BudgetWindow {
  readonly scope: BudgetScope;
  readonly scopeId: string;
  /** Unix milliseconds; 0 for a budget without a period. */
  readonly startsAtMs: number;
  /** Infinity for a budget without a period. */
  readonly endsAtMs: number;
}

/** Reset period of a budget: never, every `lengthMs` counted from `offsetMs`, or every few calendar months. */
export type BudgetPeriod =
  | { readonly kind: "none" }
  | { readonly kind: "fixed"; readonly lengthMs: number; readonly offsetMs: number }
  | { readonly kind: "months"; readonly count: number };

const DAY_MS = 86_400_000;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };
const COUNTED = /^([1-9][0-9]{0,5})(s|m|h|d|mo)$/;
// January 1, 1970, was a Thursday, and weeks start on Monday.
const FIRST_MONDAY_MS = 4 * DAY_MS;

/**
 * Parses a budget period: `none`, `daily`, `weekly`, `monthly`, or a number followed by `s`, `m`, `h`, `d`, or `mo`.
 */
export function parsePeriod(text: string): BudgetPeriod {
  if (text === "none") return { kind: "none" };
  if (text === "daily") return { kind: "fixed", lengthMs: DAY_MS, offsetMs: 0 };
  if (text === "weekly") return { kind: "fixed", lengthMs: 7 * DAY_MS, offsetMs: FIRST_MONDAY_MS };
  if (text === "monthly") return { kind: "months", count: 1 };
  const [, count = "", unit = ""] = COUNTED.exec(text) ?? [];
  if (unit === "mo") return { kind: "months", count: Number(count) };
  const unitMs = UNIT_MS[unit as keyof typeof UNIT_MS];
  if (unitMs === undefined) throw new RangeError(`${JSON.stringify(text)} is not a budget period`);
  return { kind: "fixed", lengthMs: Number(count) * unitMs, offsetMs: 0 };
}

/** Returns the UTC window that contains this time. The start is inclusive, the end exclusive. */
export function windowAt(
  period: BudgetPeriod,
  atMs: number,
): { readonly startsAtMs: number; readonly endsAtMs: number } {
  if (period.kind === "none") return { startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY };
  if (period.kind === "fixed") {
    const startsAtMs = floorTo(atMs - period.offsetMs, period.lengthMs) + period.offsetMs;
    return { startsAtMs, endsAtMs: startsAtMs + period.lengthMs };
  }
  const at = new Date(atMs);
  const month = floorTo((at.getUTCFullYear() - 1970) * 12 + at.getUTCMonth(), period.count);
  return { startsAtMs: Date.UTC(1970, month), endsAtMs: Date.UTC(1970, month + period.count) };
}

function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step;
}
