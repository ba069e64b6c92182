import { LatencyRing } from "./latency-ring.ts";
import { type FailureClass, failureClasses } from "./route-types.ts";

const MINUTE_MS = 60_000;
/** Seconds that a call which timed out counts as having taken. */
const TIMEOUT_LATENCY = 1_000;
const classIndex: Readonly<Record<FailureClass, number>> = Object.fromEntries(
  failureClasses.map((name, index) => [name, index]),
) as Record<FailureClass, number>;

/** Hears when a target begins to rest, to tell the other replicas. */
export interface CooldownListener {
  onCooled(state: TargetState): void;
}

/**
 * What this process knows of one deployment: calls under way, this minute's counts, latencies, rest. Outlives reloads of
 * the model list. Times are of the wall clock, because replicas share minutes. Nothing here makes an object per call.
 */
export class TargetState {
  readonly id: string;
  inFlight = 0;
  /** Found unhealthy by a health check. */
  isUnhealthy = false;
  /** Until when the target rests; after that it is on trial until a call succeeds. 0 when it is healthy. */
  cooledUntilMs = 0;
  /** Whether the counts of this minute are shared with other replicas. */
  isShared = false;
  /** Counted here and not yet told to the other replicas. */
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

  /** Whether a call may go there: it is healthy, or its rest is over and nobody else is trying it out. */
  canBegin(nowMs: number): boolean {
    return this.cooledUntilMs === 0 || (nowMs >= this.cooledUntilMs && !this.#isProbing);
  }

  isCooling(nowMs: number): boolean {
    return nowMs < this.cooledUntilMs;
  }

  /**
   * A call goes there, in the same turn as the choice. True when it is the one that tries a rested target out; `end`
   * wants to know.
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

  /** The call has ended, whatever came of it; exactly once for each `begin`. */
  end(isProbe: boolean): void {
    this.inFlight -= 1;
    if (isProbe) this.#isProbing = false;
  }

  /** An answer has begun to arrive: enough to end a trial, long before a stream ends. */
  answer(nowMs: number): void {
    this.#consecutiveConnectionFailures = 0;
    if (this.cooledUntilMs === 0 || nowMs < this.cooledUntilMs) return;
    this.cooledUntilMs = 0;
    // What led to the rest is over: it must not take one more failure of this minute to begin another.
    this.#forgetFailures();
  }

  /** A call was answered. `firstTokenMs` is 0 for what was not streamed; `tokens` counts toward the minute. */
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

  /** A call failed. Counts only: `noteFailure` says what follows. */
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

  /** The target rests from now on; a rest under way is never made shorter. */
  cool(nowMs: number, durationMs: number): void {
    const untilMs = nowMs + durationMs;
    if (untilMs <= this.cooledUntilMs) return;
    this.cooledUntilMs = untilMs;
    this.#listener?.onCooled(this);
  }

  /** Another replica lets the target rest. */
  coolElsewhere(untilMs: number): void {
    if (untilMs > this.cooledUntilMs) this.cooledUntilMs = untilMs;
  }

  /** What was counted since the last time, to be told to the other replicas. */
  takeUnsent(nowMs: number): { readonly requests: number; readonly tokens: number } {
    this.#roll(nowMs);
    const taken = { requests: this.#unsentRequests, tokens: this.#unsentTokens };
    this.#unsentRequests = 0;
    this.#unsentTokens = 0;
    return taken;
  }

  /** What was taken in that minute could not be told. */
  putBack(minute: number, requests: number, tokens: number): void {
    if (minute !== this.#minute) return;
    this.#unsentRequests += requests;
    this.#unsentTokens += tokens;
  }

  /** What all replicas together counted in a minute, of which this process has told all but what is unsent. */
  setTotals(minute: number, requests: number, tokens: number): void {
    if (minute !== this.#minute) return;
    this.#othersRequests = Math.max(0, requests - (this.#requests - this.#unsentRequests));
    this.#othersTokens = Math.max(0, tokens - (this.#tokens - this.#unsentTokens));
  }

  /** Requests of this minute, those of other replicas included. */
  requestsThisMinute(nowMs: number): number {
    this.#roll(nowMs);
    return this.#requests + this.#othersRequests;
  }

  /** Tokens of this minute, those of other replicas included. */
  tokensThisMinute(nowMs: number): number {
    this.#roll(nowMs);
    return this.#tokens + this.#othersTokens;
  }

  /** Calls that got an answer this minute, good or bad, since the last rest. */
  get finished(): number {
    return this.#finished;
  }

  /** Those of them that speak against the target. */
  get failures(): number {
    return this.#failures;
  }

  failuresOf(kind: FailureClass): number {
    return this.#failuresByClass[classIndex[kind]] ?? 0;
  }

  get consecutiveConnectionFailures(): number {
    return this.#consecutiveConnectionFailures;
  }

  /** From now on latencies are kept, that many. */
  measureLatency(count: number): void {
    if (this.#tokenLatencies?.size === count) return;
    this.#tokenLatencies = new LatencyRing(count);
    this.#firstTokenLatencies = new LatencyRing(count);
  }

  /** Mean seconds to the first token of a stream, or per token of other answers; 0 when unmeasured. */
  meanLatency(nowMs: number, ttlMs: number, isStream: boolean): number {
    const ring = isStream ? this.#firstTokenLatencies : this.#tokenLatencies;
    return ring === null ? 0 : ring.mean(nowMs, ttlMs);
  }

  /** Begins a new minute where one has begun. A clock set back changes nothing. */
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

/** Whether a failure speaks against the target. A request that is wrong, or a connection that never came to be, does not. */
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
