import { Meters } from "@tollgate/domain/limits/meters.ts";
import type { AskSettings, SharedCounters } from "@tollgate/domain/limits/shared-counters.ts";
import type { WindowMeter } from "@tollgate/domain/limits/window-meter.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { LimitedCaller } from "../call/caller-limits.ts";
import { Breaker } from "./breaker.ts";
import { type Limit, needOf, RateLimitReservation, type Refusal } from "./limit.ts";
import { buildLimitSet, type LimitSet } from "./limit-set.ts";
import { Reports } from "./reports.ts";
import { SharedTake } from "./shared-reservation.ts";

const PROBE_INTERVAL_MS = 500;
const IDLE_SLICE_MS = 1_000;
/** Retry delay after a concurrency refusal. It is fixed, because the gateway can't predict when a slot becomes free. */
const SLOT_RETRY_MS = 1_000;

export interface RateLimiterSettings extends AskSettings {
  /** Maximum number of concurrent calls for a key without a concurrency limit. */
  readonly keyMaxParallel: number | null;
}

interface RateLimiterParts {
  /** Null if there is no shared store. Each process then enforces its share of the limits. */
  readonly shared: SharedCounters | null;
  readonly settings: RateLimiterSettings;
  /** Returns the number of processes that share the limits while the store is unavailable. */
  readonly liveProcesses: () => number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
  readonly log: Logger;
}

/**
 * Enforces rate limits across all processes. Far below a limit, calls are counted in memory against a slice that was
 * taken from the shared count in advance. Near the limit, every call queries the store. While the store is unavailable,
 * each process counts alone, against the limit divided by the number of live processes.
 */
export class RateLimiter {
  readonly #parts: RateLimiterParts;
  readonly #meters: Meters;
  readonly #breaker = new Breaker();
  readonly #reports: Reports | null;
  readonly #sliced = new Set<WindowMeter>();
  /** Runs only while this process has slices. */
  #returning: NodeJS.Timeout | null = null;
  #probing: NodeJS.Timeout | null = null;
  #settings: RateLimiterSettings;
  #sets = new WeakMap<LimitedCaller, LimitSet | "unlimited">();

  constructor(parts: RateLimiterParts) {
    this.#parts = parts;
    this.#meters = new Meters(parts.now);
    this.#settings = parts.settings;
    this.#reports =
      parts.shared &&
      new Reports(
        parts.shared,
        () => this.#settings,
        parts.now,
        () => this.#breaker.isOpen,
        (error) => this.#noteFailure(error),
      );
  }

  /** Uses these settings from now on. What has been counted stays counted. */
  reload(settings: RateLimiterSettings): void {
    if (settings.keyMaxParallel !== this.#settings.keyMaxParallel) this.#sets = new WeakMap();
    this.#settings = settings;
  }

  /** Returns a caller's limits, cached per caller object, or null if the caller has no limits. */
  limitsOf(caller: LimitedCaller): LimitSet | null {
    const known = this.#sets.get(caller);
    if (known === "unlimited") return null;
    if (known !== undefined && known.generation === this.#meters.generation) return known;
    const set = buildLimitSet(caller, this.#settings.keyMaxParallel, this.#meters);
    this.#sets.set(caller, set ?? "unlimited");
    return set;
  }

  /**
   * Takes one request, its estimated tokens, and a slot from all limits, or takes nothing if a limit refuses the call.
   * Waits only if it must query the store.
   */
  take(
    set: LimitSet,
    model: string,
    tokens: number,
  ): RateLimitReservation | Refusal | Promise<RateLimitReservation | Refusal> {
    const limits = set.of(model);
    const { shared } = this.#parts;
    if (shared === null || this.#breaker.isOpen) return this.#takeAlone(limits, tokens);
    return this.#takeFromSlices(limits, tokens) ?? this.#takeShared(shared, limits, tokens);
  }

  /**
   * Corrects a reservation's tokens to the actual usage, which is 0 if the call failed, and frees its slot. Has an
   * effect only once per reservation.
   */
  finish(taken: RateLimitReservation, usedTokens: number): void {
    if (taken.isFinished) return;
    taken.isFinished = true;
    const nowMs = this.#parts.now();
    const excess = usedTokens - taken.tokens;
    for (const limit of taken.limits) {
      if (limit.type === "tokens") this.#correct(limit.meter, excess, taken.takenAtMs, nowMs);
      else if (limit.type === "max_parallel_requests") {
        limit.meter.free();
        // A freed slot is reported immediately, because the client may send its next call to another process as soon as
        // this call ends.
        this.#reports?.add(limit.meter, 0);
      }
    }
  }

  /** True while limits are counted per process. */
  get isAlone(): boolean {
    return this.#parts.shared === null || this.#breaker.isOpen;
  }

  /** Returns the remainder of a limit, as known to this process. */
  leftOf(limit: Limit, nowMs = this.#parts.now()): number {
    if (limit.type === "max_parallel_requests") return Math.max(0, limit.maximum - limit.meter.current);
    limit.meter.roll(nowMs);
    return limit.meter.leftAlone(limit.maximum, this.isAlone ? this.#processes() : 1);
  }

  close(): void {
    if (this.#returning !== null) clearInterval(this.#returning);
    if (this.#probing !== null) clearInterval(this.#probing);
    this.#reports?.close();
  }

  #takeFromSlices(limits: readonly Limit[], tokens: number): RateLimitReservation | null {
    const nowMs = this.#parts.now();
    for (const limit of limits) {
      if (limit.type === "max_parallel_requests" || !limit.meter.hasSlice(needOf(limit, tokens), nowMs)) return null;
    }
    for (const limit of limits) {
      if (limit.type !== "max_parallel_requests") limit.meter.spendSlice(needOf(limit, tokens), nowMs);
    }
    return new RateLimitReservation(limits, tokens, nowMs);
  }

  async #takeShared(
    shared: SharedCounters,
    limits: readonly Limit[],
    tokens: number,
  ): Promise<RateLimitReservation | Refusal> {
    // Far below a limit, one call fetches a slice, and all concurrent calls wait for the slice and use it.
    for (;;) {
      const refill = findRefill(limits, tokens, this.#parts.now());
      if (refill === null) break;
      if (!(await refill) || this.#breaker.isOpen) return this.#takeAlone(limits, tokens);
      const taken = this.#takeFromSlices(limits, tokens);
      if (taken !== null) return taken;
    }
    const take = new SharedTake(limits, tokens, this.#parts.now());
    try {
      const answer = await shared.ask(take.questions, this.#settings);
      const nowMs = this.#parts.now();
      const refused = take.settle(answer, nowMs);
      for (const meter of take.refilled) this.#noteSlice(meter);
      if (refused === null) return new RateLimitReservation(limits, tokens, nowMs);
      return this.#refuse(refused.limit, refused.state.used, refused.state.remainingMs);
    } catch (error) {
      take.abandon(this.#parts.now());
      this.#noteFailure(error);
      return this.#takeAlone(limits, tokens);
    }
  }

  #takeAlone(limits: readonly Limit[], tokens: number): RateLimitReservation | Refusal {
    const nowMs = this.#parts.now();
    const processes = this.#processes();
    for (const limit of limits) {
      if (limit.type === "max_parallel_requests") {
        if (!limit.meter.fitsAlone(limit.maximum, processes)) return this.#refuse(limit, limit.meter.current, 0);
      } else if (!limit.meter.fitsAlone(needOf(limit, tokens), limit.maximum, processes, nowMs)) {
        return this.#refuse(limit, limit.meter.current, limit.meter.remainingMs(nowMs));
      }
    }
    const { windowMs } = this.#settings;
    for (const limit of limits) {
      if (limit.type === "max_parallel_requests") limit.meter.hold();
      else limit.meter.spendAlone(needOf(limit, tokens), limit.maximum, processes, windowMs, nowMs);
      // Report the count later, because a store that failed once may respond to the next request.
      this.#reports?.add(limit.meter);
    }
    return new RateLimitReservation(limits, tokens, nowMs);
  }

  #correct(meter: WindowMeter, excess: number, takenAtMs: number, nowMs: number): void {
    if (excess > 0) {
      meter.charge(excess, nowMs);
      if (this.isAlone) meter.begin(this.#settings.windowMs, nowMs);
    } else if (excess < 0) {
      meter.giveBack(-excess, takenAtMs, nowMs);
      if (meter.slice > 0) this.#noteSlice(meter);
    }
    if (meter.owed !== 0) this.#reports?.add(meter);
  }

  #refuse(limit: Limit, current: number, remainingMs: number): Refusal {
    const { windowMs } = this.#settings;
    const isSlot = limit.type === "max_parallel_requests";
    // A call that exceeds the whole limit is refused even if no window is running. The retry delay is then one window.
    const retryAfterMs = Math.ceil(isSlot ? SLOT_RETRY_MS : remainingMs > 0 ? remainingMs : windowMs);
    return {
      kind: "refused",
      type: limit.type,
      scope: limit.scope,
      ownerName: limit.ownerName,
      limit: limit.maximum,
      current,
      windowMs,
      resetAtMs: Math.ceil(this.#parts.wallClock() + retryAfterMs),
      retryAfterMs,
    };
  }

  #processes(): number {
    return Math.max(1, this.#parts.liveProcesses());
  }

  #noteFailure(error: unknown): void {
    if (!this.#breaker.fail(this.#parts.now())) return;
    this.#parts.log.warn("Redis is not responding; counting rate limits per process", { error });
    let isAsking = false;
    this.#probing = setInterval(() => {
      if (isAsking) return;
      isAsking = true;
      this.#probe().finally(() => {
        isAsking = false;
      });
    }, PROBE_INTERVAL_MS).unref();
  }

  async #probe(): Promise<void> {
    try {
      await this.#parts.shared?.probe();
    } catch {
      return;
    }
    if (this.#probing !== null) clearInterval(this.#probing);
    this.#breaker.close();
    this.#parts.log.info("Redis is responding again; sharing rate limits between processes");
    for (const meter of this.#meters.unreported()) this.#reports?.add(meter);
  }

  #noteSlice(meter: WindowMeter): void {
    this.#sliced.add(meter);
    this.#returning ??= setInterval(() => this.#returnIdleSlices(), IDLE_SLICE_MS).unref();
  }

  /** Returns unused slices to the store, because other processes may need them. */
  #returnIdleSlices(): void {
    if (this.isAlone) return;
    const nowMs = this.#parts.now();
    for (const meter of this.#sliced) {
      meter.roll(nowMs);
      if (meter.slice > 0 && nowMs - meter.spentAtMs < IDLE_SLICE_MS) continue;
      this.#sliced.delete(meter);
      if (meter.slice === 0) continue;
      meter.returnSlice();
      this.#reports?.add(meter);
    }
    if (this.#sliced.size > 0 || this.#returning === null) return;
    clearInterval(this.#returning);
    this.#returning = null;
  }
}

/** Returns the pending request that may provide the slice that this call needs, or null. */
function findRefill(limits: readonly Limit[], tokens: number, nowMs: number): Promise<boolean> | null {
  for (const limit of limits) {
    if (limit.type === "max_parallel_requests" || limit.meter.refill === null) continue;
    if (!limit.meter.hasSlice(needOf(limit, tokens), nowMs)) return limit.meter.refill;
  }
  return null;
}

/** Margin by which a slot lease outlasts the longest call, so that only a crashed process's leases expire. */
const LEASE_MARGIN_MS = 60_000;

/** Returns the part of the settings that the limiter needs. */
export function limiterSettings({ general, router }: Settings): RateLimiterSettings {
  return {
    windowMs: general.rateLimitWindowSeconds * 1_000,
    slotLeaseMs: router.totalTimeoutSeconds * 1_000 + LEASE_MARGIN_MS,
    keyMaxParallel: general.maxParallelRequests,
  };
}
