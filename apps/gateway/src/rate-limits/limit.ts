import type { SlotMeter } from "./slot-meter.ts";
import type { WindowMeter } from "./window-meter.ts";

export type LimitType = "requests" | "tokens" | "max_parallel_requests";
export type LimitScope = "api_key" | "team" | "user" | "organization" | "model_per_key" | "model_per_team";

interface LimitOf<Type extends LimitType, Meter> {
  readonly type: Type;
  readonly scope: LimitScope;
  readonly maximum: number;
  /** What the owner is called, for the sentence of a refusal. */
  readonly ownerName: string | null;
  readonly meter: Meter;
  /** The header line with the limit, and the beginning of the one with what is left, made once. */
  readonly limitLine: string;
  readonly remainingPrefix: string;
}

export type WindowLimit = LimitOf<"requests" | "tokens", WindowMeter>;
export type SlotLimit = LimitOf<"max_parallel_requests", SlotMeter>;
/** One bound on one owner, with the meter that all calls of that owner in this process share. */
export type Limit = WindowLimit | SlotLimit;

/** Why a call may not go on now, and when it is worth another try. */
export interface Refusal {
  readonly kind: "refused";
  readonly type: LimitType;
  readonly scope: LimitScope;
  readonly ownerName: string | null;
  readonly limit: number;
  readonly current: number;
  readonly windowMs: number;
  /** Unix time in milliseconds. */
  readonly resetAtMs: number;
  readonly retryAfterMs: number;
}

/** What an admitted call took. Given back, corrected and freed by `finish`, once. */
export class RateLimitReservation {
  readonly kind = "taken";
  readonly limits: readonly Limit[];
  /** Tokens reserved at admission. */
  readonly tokens: number;
  /** Monotonic milliseconds; tells whether a window of today is still the one that the tokens were taken from. */
  readonly takenAtMs: number;
  isFinished = false;

  constructor(limits: readonly Limit[], tokens: number, takenAtMs: number) {
    this.limits = limits;
    this.tokens = tokens;
    this.takenAtMs = takenAtMs;
  }
}

/** How much of a window limit a call takes when it is admitted. */
export function needOf(limit: WindowLimit, tokens: number): number {
  return limit.type === "requests" ? 1 : tokens;
}
