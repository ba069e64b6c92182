import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import type { Exchange } from "../call/exchange.ts";
import { NO_PARTS } from "../call/operation-kind.ts";

const CHECK_MS = 100;
const NOT_WATCHED = -1;

/** A call or other work with a deadline. */
export abstract class HasDeadline {
  /** Index in the list of `LiveCalls`, which maintains it. */
  liveIndex = NOT_WATCHED;

  /** Called about ten times per second while the call is live. */
  abstract check(nowMs: number): void;
}

/**
 * Watches the deadlines of all running calls with one timer, because one timer per call would cost memory and time.
 * Uses a plain array, because a Set that is filled and emptied thousands of times per second retains dead calls. Each
 * table that the Set outgrew points to the next one, and the garbage collector promotes everything reachable from that
 * chain, which took 13% of a call's time.
 */
export class LiveCalls {
  readonly #now: () => number;
  readonly #calls: HasDeadline[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(call: HasDeadline): void {
    call.liveIndex = this.#calls.length;
    this.#calls.push(call);
    this.#timer ??= setInterval(() => this.#checkAll(), CHECK_MS);
  }

  remove(call: HasDeadline): void {
    const index = call.liveIndex;
    if (index === NOT_WATCHED) return;
    call.liveIndex = NOT_WATCHED;
    const last = this.#calls.pop() as HasDeadline;
    if (last === call) return;
    this.#calls[index] = last;
    last.liveIndex = index;
  }

  #checkAll(): void {
    // Stopping the timer as soon as the last call ends would cost more than one timer tick without calls.
    if (this.#calls.length === 0) {
      if (this.#timer !== null) clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    const nowMs = this.#now();
    // Iterates backward, because a check may remove its own call, and the last call then moves to that index.
    for (let index = this.#calls.length - 1; index >= 0; index -= 1) this.#calls[index]?.check(nowMs);
  }
}

/** Maximum number of unattended calls per process. */
const MAX_UNATTENDED_CALLS = 256;

/** Calls that continue after the client has disconnected, so that their usage becomes known. */
export class UnattendedCalls {
  readonly #exchanges = new Set<Exchange>();

  get size(): number {
    return this.#exchanges.size;
  }

  /** Adds a call, or returns false at capacity. */
  add(exchange: Exchange): boolean {
    if (exchange.isUnattended) return true;
    if (this.#exchanges.size >= MAX_UNATTENDED_CALLS) return false;
    this.#exchanges.add(exchange);
    exchange.isUnattended = true;
    return true;
  }

  remove(exchange: Exchange): void {
    if (exchange.isUnattended) this.#exchanges.delete(exchange);
  }

  /**
   * Ends all unattended calls because this process is shutting down. Their connections are already closed, so a drain
   * can't end them through their connections.
   */
  cutAll(failure: Failure): void {
    for (const exchange of [...this.#exchanges]) exchange.cut(failure);
  }
}

/**
 * Reports whether the gateway reads the response of a call to the end after the client has disconnected. By default, it
 * aborts a stream only if it can count everything that the provider bills.
 */
export function finishesOnDisconnect({ onDisconnect }: Deployment, { isStream, parts }: Call): boolean {
  return onDisconnect === "finish" || (onDisconnect === "abort_streams" && (!isStream || parts !== NO_PARTS));
}

/** The timeouts of one attempt: for the whole attempt, and between two chunks of its stream. */
export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly streamTimeoutMs: number;
  /**
   * The timeouts that would apply if the caller had set none. The upstream continues after the caller's deadline, so
   * the gateway reads the response until these timeouts expire, to determine its usage.
   */
  readonly readOnTimeoutMs: number;
  readonly readOnStreamTimeoutMs: number;
}

/**
 * Returns the limits for one attempt on a deployment. The request's limits take precedence, then the deployment's, and
 * then the limits in the settings. The limits never exceed the remaining total timeout.
 */
export function attemptLimits(call: Call, deployment: Deployment, settings: Settings, nowMs: number): AttemptLimits {
  const { asked, exchange } = call;
  const leftMs = Math.max(1, exchange.startedAtMs + settings.router.totalTimeoutSeconds * 1_000 - nowMs);
  const ownMs = ownTimeoutMs(deployment, settings);
  const ownStreamMs = ownStreamTimeoutMs(deployment, settings);
  const timeoutMs = Math.min(asked.timeoutMs ?? ownMs, leftMs);
  const streamTimeoutMs = asked.streamTimeoutMs ?? ownStreamMs ?? timeoutMs;
  const readOnTimeoutMs = Math.max(timeoutMs, Math.min(ownMs, leftMs));
  const readOnStreamTimeoutMs = Math.max(streamTimeoutMs, ownStreamMs ?? readOnTimeoutMs);
  return { timeoutMs, streamTimeoutMs, readOnTimeoutMs, readOnStreamTimeoutMs };
}

/** Returns the limits for a first attempt if the request sets none. */
export function usualLimits(
  deployment: Deployment,
  settings: Settings,
): Pick<AttemptLimits, "timeoutMs" | "streamTimeoutMs"> {
  const timeoutMs = Math.min(ownTimeoutMs(deployment, settings), settings.router.totalTimeoutSeconds * 1_000);
  return { timeoutMs, streamTimeoutMs: ownStreamTimeoutMs(deployment, settings) ?? timeoutMs };
}

function ownTimeoutMs(deployment: Deployment, { router, gateway }: Settings): number {
  return (deployment.timeoutSeconds ?? router.timeoutSeconds ?? gateway.requestTimeoutSeconds) * 1_000;
}

function ownStreamTimeoutMs(deployment: Deployment, { router }: Settings): number | null {
  const seconds = deployment.streamTimeoutSeconds ?? router.streamTimeoutSeconds;
  return seconds === null ? null : seconds * 1_000;
}
