import { quantile } from "../measure/statistics.ts";
import type { ArrivalsResult, CallEnd, CrowdResult } from "./arrivals.ts";

/** Result of a slice of load. */
export interface Slice {
  /** Successful responses per second, by completion time. */
  readonly goodPerSecond: number;
  readonly refusedPerSecond: number;
  readonly unsentPerSecond: number;
  readonly failed: number;
  /** The first error. */
  readonly problem: string | null;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refusalP50Ms: number;
  readonly refusalP99Ms: number;
  /** The gateway's CPU time over the whole slice. `allGood` and `allRefused` also cover the whole slice. */
  readonly cpuMs: number;
  /** Share of a core that the gateway used. Below 0.9, something other than the gateway was the bottleneck. */
  readonly coreUsed: number;
  readonly allGood: number;
  readonly allRefused: number;
}

/** The first second is not counted, because a gateway may queue calls briefly before it detects overload. */
export const SETTLING_MS = 1_000;

/** Summarizes the results of these crowds, from the end of the first second to the end of the load. */
export function sumUp(result: ArrivalsResult, durationMs: number, crowds = result.crowds): Slice {
  const seconds = (durationMs - SETTLING_MS) / 1_000;
  const ends = crowds.flatMap(({ ends: own }) => own);
  const isCounted = ({ dueMs }: CallEnd) => dueMs >= SETTLING_MS;
  const isDone = ({ dueMs, latencyMs }: CallEnd) => {
    const atMs = dueMs + latencyMs;
    return atMs >= SETTLING_MS && atMs < durationMs;
  };
  const good = ends.filter(({ kind }) => kind === "good");
  const refused = ends.filter((end) => end.kind === "refused" && isCounted(end));
  const failed = ends.filter(({ kind }) => kind === "failed");
  const latencies = good.filter(isCounted).map(({ latencyMs }) => latencyMs);
  const refusals = refused.map(({ latencyMs }) => latencyMs);
  return {
    goodPerSecond: good.filter(isDone).length / seconds,
    refusedPerSecond: refused.length / seconds,
    unsentPerSecond: sum(crowds, ({ unsent }) => unsent) / (durationMs / 1_000),
    failed: failed.length,
    problem: failed[0]?.problem ?? null,
    p50Ms: quantileOr(latencies, 0.5),
    p99Ms: quantileOr(latencies, 0.99),
    refusalP50Ms: quantileOr(refusals, 0.5),
    refusalP99Ms: quantileOr(refusals, 0.99),
    cpuMs: result.cpuMs,
    coreUsed: result.cpuMs / durationMs,
    allGood: good.length,
    allRefused: ends.filter(({ kind }) => kind === "refused").length,
  };
}

/** On a shared machine, one call in a hundred may be late even without overload. */
const USUALLY_BAD = 0.01;

/** Returns the time from the end of the overload until refused and late calls are as rare as usual. */
export function recoveryMs(result: ArrivalsResult, usualMs: number): number {
  const ends = result.crowds.flatMap(({ ends: own }) => own).sort((one, other) => other.dueMs - one.dueMs);
  let bad = 0;
  let recoveredMs = Number.POSITIVE_INFINITY;
  for (const [index, { kind, latencyMs, dueMs }] of ends.entries()) {
    if (kind !== "good" || latencyMs > usualMs) bad += 1;
    if (bad <= (index + 1) * USUALLY_BAD) recoveredMs = dueMs;
  }
  return recoveredMs;
}

function sum(crowds: readonly CrowdResult[], read: (crowd: CrowdResult) => number): number {
  return crowds.reduce((total, crowd) => total + read(crowd), 0);
}

function quantileOr(values: readonly number[], fraction: number): number {
  return values.length === 0 ? 0 : quantile(values, fraction);
}
