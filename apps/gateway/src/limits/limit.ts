import type { SlotMeter } from "@tollgate/domain/limits/slot-meter.ts";
import type { WindowMeter } from "@tollgate/domain/limits/window-meter.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";

type LimitType = "requests" | "tokens" | "max_parallel_requests";
export type LimitScope = "api_key" | "team" | "user" | "organization" | "model_per_key" | "model_per_team";

interface LimitOf<Type extends LimitType, Meter> {
  readonly type: Type;
  readonly scope: LimitScope;
  readonly maximum: number;
  /** Name of the owner in refusal messages. */
  readonly ownerName: string | null;
  readonly meter: Meter;
  /** The header line with the limit, and the beginning of the line with the remainder. */
  readonly remainingPrefix: string;
  /** The same under OpenAI's header names, and the beginning of the line with the time until the reset. */
  readonly openAiPrefix: string;
  readonly openAiReset: string;
}

export type WindowLimit = LimitOf<"requests" | "tokens", WindowMeter>;
export type SlotLimit = LimitOf<"max_parallel_requests", SlotMeter>;
/** One limit of one owner, with the meter that all calls of that owner in this process share. */
export type Limit = WindowLimit | SlotLimit;

/** The limit that refused a call, and when to retry. */
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

/** The reservation of an admitted call. The limiter's `finish` corrects and releases the reservation once. */
export class RateLimitReservation {
  readonly kind = "taken";
  readonly limits: readonly Limit[];
  /** Tokens reserved at admission. */
  readonly tokens: number;
  /**
   * Monotonic time of admission in milliseconds. Used to check whether the window that the tokens were taken from is
   * still running.
   */
  readonly takenAtMs: number;
  isFinished = false;

  constructor(limits: readonly Limit[], tokens: number, takenAtMs: number) {
    this.limits = limits;
    this.tokens = tokens;
    this.takenAtMs = takenAtMs;
  }
}

/** Returns the amount that a call takes from a window limit at admission. */
export function needOf(limit: WindowLimit, tokens: number): number {
  return limit.type === "requests" ? 1 : tokens;
}

type TokenKind = "total" | "input" | "output";

/** Returns how many of a call's tokens count toward its limits. */
export function countTokens(kind: TokenKind, usage: Usage): number {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  if (kind === "input") return input;
  return kind === "output" ? usage.outputTokens : input + usage.outputTokens;
}

/** Returns how many tokens a call reserves at admission: its prompt tokens, or 0 if only output counts. */
export function countPrompt(kind: TokenKind, promptTokens: number): number {
  return kind === "output" ? 0 : promptTokens;
}
