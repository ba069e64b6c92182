import { type FailureClass, failureClasses } from "./failure-class.ts";
import { LatencyRing } from "./latency-ring.ts";

const MINUTE_MS = 60_000;
/** Latency in seconds recorded for a call that timed out. */
const TIMEOUT_LATENCY = 1_000;
const classIndex: Readonly<Record<FailureClass, number>> = Object.fromEntries(
  failureClasses.map((name, index) => [name, index]),
) as Record<FailureClass, number>;

/** Called when a target enters cooldown, to notify the other replicas. */
export interface CooldownListener {
  onCooled(state: TargetState): void;
}

/**
 * This process's state for one deployment: calls in flight, this minute's counts, latencies, and cooldown. Survives
 * reloads of the model list. Uses wall clock times, because replicas share minutes. Allocates no objects per call.
 */
export class TargetState {
  readonly id: string;
  inFlight = 0;
  /** True if a health check failed. */
  isUnhealthy = false;
  /**
   * End of the cooldown; 0 if healthy. After the cooldown, the target gets one trial call at a time until one succeeds.
   */
  cooledUntilMs = 0;
  /** True if this minute's counts are shared with other replicas. */
  isShared = false;
  /** Counts that have not yet been sent to the other replicas. */
  #unsentRequests = 0;
  #unsentTokens = 0;
  #isProbing = false;
  #consecutiveConnectionFailures = 0;
  #minute = 0;
  #requests = 0;
  #tokens = 0;
  #othersRequests = 0;
  #othersTokens = 0;
  #finished = 0;
  #failures = 0;
  readonly #failuresByClass = new Uint32Array(failureClasses.length);
  #tokenLatencies: LatencyRing | null = null;
  #firstTokenLatencies: LatencyRing | null = null;
  readonly #listener: CooldownListener | null;

  constructor(id: string, listener: CooldownListener | null = null) {
    this.id = id;
    this.#listener = listener;
  }

  /** Reports whether a call may start: the target is healthy, or its cooldown is over and no trial is in flight. */
  canBegin(nowMs: number): boolean {
    return this.cooledUntilMs === 0 || (nowMs >= this.cooledUntilMs && !this.#isProbing);
  }

  isCooling(nowMs: number): boolean {
    return nowMs < this.cooledUntilMs;
  }

  /**
   * Starts a call. Must be called synchronously after the target is chosen. Returns true if the call is a trial after a
   * cooldown. Pass that value to `end`.
   */
  begin(nowMs: number): boolean {
    this.#roll(nowMs);
    this.inFlight += 1;
    this.#requests += 1;
    if (this.isShared) this.#unsentRequests += 1;
    if (this.cooledUntilMs === 0) return false;
    this.#isProbing = true;
    return true;
  }

  /** Ends a call, regardless of its outcome. Must be called exactly once for each `begin`. */
  end(isProbe: boolean): void {
    this.inFlight -= 1;
    if (isProbe) this.#isProbing = false;
  }

  /** Records that a response has begun, which ends a trial long before a stream ends. */
  answer(nowMs: number): void {
    this.#consecutiveConnectionFailures = 0;
    if (this.cooledUntilMs === 0 || nowMs < this.cooledUntilMs) return;
    this.cooledUntilMs = 0;
    // Clear the failures that caused the cooldown, so that one more failure in this minute doesn't start another
    // cooldown.
    this.#forgetFailures();
  }

  /**
   * Records a successful call. `firstTokenMs` is 0 if the response wasn't streamed, and `tokens` counts toward the
   * minute.
   */
  succeed(nowMs: number, tokens: number, latencyMs: number, firstTokenMs: number, outputTokens: number): void {
    this.#roll(nowMs);
    this.answer(nowMs);
    this.#finished += 1;
    this.#tokens += tokens;
    if (this.isShared) this.#unsentTokens += tokens;
    if (this.#tokenLatencies === null || this.#firstTokenLatencies === null) return;
    if (firstTokenMs > 0) this.#firstTokenLatencies.add(nowMs, firstTokenMs / 1_000);
    else this.#tokenLatencies.add(nowMs, latencyMs / 1_000 / Math.max(1, outputTokens));
  }

  /** Counts a failed call. `noteFailure` decides whether a cooldown starts. */
  fail(nowMs: number, kind: FailureClass): void {
    if (kind === "local") return;
    this.#roll(nowMs);
    if (kind === "connection") {
      this.#consecutiveConnectionFailures += 1;
      return;
    }
    this.#consecutiveConnectionFailures = 0;
    this.#finished += 1;
    if (countsTowardCooldown(kind)) this.#failures += 1;
    const index = classIndex[kind];
    this.#failuresByClass[index] = (this.#failuresByClass[index] ?? 0) + 1;
    if (kind !== "timeout") return;
    this.#tokenLatencies?.add(nowMs, TIMEOUT_LATENCY);
    this.#firstTokenLatencies?.add(nowMs, TIMEOUT_LATENCY);
  }

  /** Records that the target responded, although not with a result. */
  reach(): void {
    this.#consecutiveConnectionFailures = 0;
  }

  /** Starts a cooldown now. Never shortens a cooldown in progress. */
  cool(nowMs: number, durationMs: number): void {
    const untilMs = nowMs + durationMs;
    if (untilMs <= this.cooledUntilMs) return;
    this.cooledUntilMs = untilMs;
    this.#listener?.onCooled(this);
  }

  /** Applies a cooldown started by another replica. */
  coolElsewhere(untilMs: number): void {
    if (untilMs > this.cooledUntilMs) this.cooledUntilMs = untilMs;
  }

  /** Returns and resets the counts not yet sent to the other replicas. */
  takeUnsent(nowMs: number): { readonly requests: number; readonly tokens: number } {
    this.#roll(nowMs);
    const taken = { requests: this.#unsentRequests, tokens: this.#unsentTokens };
    this.#unsentRequests = 0;
    this.#unsentTokens = 0;
    return taken;
  }

  /** Restores a minute's counts that could not be sent. */
  putBack(minute: number, requests: number, tokens: number): void {
    if (minute !== this.#minute) return;
    this.#unsentRequests += requests;
    this.#unsentTokens += tokens;
  }

  /**
   * Sets the totals of all replicas in a minute, which include all of this process's counts except the unsent counts.
   */
  setTotals(minute: number, requests: number, tokens: number): void {
    if (minute !== this.#minute) return;
    this.#othersRequests = Math.max(0, requests - (this.#requests - this.#unsentRequests));
    this.#othersTokens = Math.max(0, tokens - (this.#tokens - this.#unsentTokens));
  }

  /** Returns this minute's request count, including requests from other replicas. */
  requestsThisMinute(nowMs: number): number {
    this.#roll(nowMs);
    return this.#requests + this.#othersRequests;
  }

  /** Returns this minute's token count, including tokens from other replicas. */
  tokensThisMinute(nowMs: number): number {
    this.#roll(nowMs);
    return this.#tokens + this.#othersTokens;
  }

  /** Number of calls completed this minute, successful or not, since the last cooldown. */
  get finished(): number {
    return this.#finished;
  }

  /** Number of completed calls this minute that count against the target. */
  get failures(): number {
    return this.#failures;
  }

  failuresOf(kind: FailureClass): number {
    return this.#failuresByClass[classIndex[kind]] ?? 0;
  }

  get consecutiveConnectionFailures(): number {
    return this.#consecutiveConnectionFailures;
  }

  /** Starts recording latencies and keeps the last `count` of them. */
  measureLatency(count: number): void {
    if (this.#tokenLatencies?.size === count) return;
    this.#tokenLatencies = new LatencyRing(count);
    this.#firstTokenLatencies = new LatencyRing(count);
  }

  /**
   * Returns the mean number of seconds to the first token of a stream, or per token for other responses; 0 if
   * unmeasured.
   */
  meanLatency(nowMs: number, ttlMs: number, isStream: boolean): number {
    const ring = isStream ? this.#firstTokenLatencies : this.#tokenLatencies;
    return ring === null ? 0 : ring.mean(nowMs, ttlMs);
  }

  /** Starts a new minute when due. Ignores backward clock changes. */
  #roll(nowMs: number): void {
    if (nowMs < (this.#minute + 1) * MINUTE_MS) return;
    this.#minute = Math.floor(nowMs / MINUTE_MS);
    this.#requests = 0;
    this.#tokens = 0;
    this.#othersRequests = 0;
    this.#othersTokens = 0;
    this.#unsentRequests = 0;
    this.#unsentTokens = 0;
    this.#forgetFailures();
  }

  #forgetFailures(): void {
    this.#finished = 0;
    this.#failures = 0;
    this.#failuresByClass.fill(0);
  }
}

/** Reports whether a failure counts against the target. Invalid requests and failed connections don't. */
export function countsTowardCooldown(kind: FailureClass): boolean {
  switch (kind) {
    case "authentication":
    case "not_found":
    case "timeout":
    case "rate_limit":
    case "internal":
    case "unavailable":
      return true;
    default:
      return false;
  }
}

const WINDOW_SECONDS = 10;
const CALLS_PER_RETRY = 10;
/** Number of concurrent retries always allowed, even with few calls. */
const LEAST_AT_ONCE = 3;
/**
 * Maximum number of always-allowed retries per window. Without this maximum, quick failures in a quiet group would
 * double its calls. With 30, a group with 35 calls per second and one of two deployments failing 15% lost 0.15% of its
 * calls; with 50, it lost less than 0.05%.
 */
const LEAST_IN_WINDOW = 50;

/** Limits the retries of a group to a tenth of its calls in the last ten seconds. */
export class RetryBudget {
  #inFlight = 0;
  #calls = 0;
  #retries = 0;
  #second = 0;
  readonly #callsBySecond = new Uint32Array(WINDOW_SECONDS);
  readonly #retriesBySecond = new Uint32Array(WINDOW_SECONDS);

  /** Counts a call that the group starts to serve, excluding retries. */
  noteCall(nowMs: number): void {
    const slot = this.#roll(nowMs);
    this.#callsBySecond[slot] = (this.#callsBySecond[slot] ?? 0) + 1;
    this.#calls += 1;
  }

  /** Takes one retry from the budget. Returns false if no retry is left. Call `end` for each retry taken. */
  take(nowMs: number): boolean {
    const slot = this.#roll(nowMs);
    const isWithinShare = (this.#retries + 1) * CALLS_PER_RETRY <= this.#calls;
    const isAmongFew = this.#inFlight < LEAST_AT_ONCE && this.#retries < LEAST_IN_WINDOW;
    if (!isWithinShare && !isAmongFew) return false;
    this.#retriesBySecond[slot] = (this.#retriesBySecond[slot] ?? 0) + 1;
    this.#retries += 1;
    this.#inFlight += 1;
    return true;
  }

  /** Ends a retry, regardless of its outcome. */
  end(): void {
    this.#inFlight -= 1;
  }

  /** Returns the current second's slot and drops everything older than the window. Ignores backward clock changes. */
  #roll(nowMs: number): number {
    const second = Math.floor(nowMs / 1_000);
    if (second > this.#second) {
      const oldest = Math.max(this.#second + 1, second - WINDOW_SECONDS + 1);
      for (let each = oldest; each <= second; each += 1) this.#forget(each % WINDOW_SECONDS);
      this.#second = second;
    }
    return this.#second % WINDOW_SECONDS;
  }

  #forget(slot: number): void {
    this.#calls -= this.#callsBySecond[slot] ?? 0;
    this.#retries -= this.#retriesBySecond[slot] ?? 0;
    this.#callsBySecond[slot] = 0;
    this.#retriesBySecond[slot] = 0;
  }
}
