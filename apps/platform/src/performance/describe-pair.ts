import type { CallTiming, ModelPerformance } from "@tollgate/contracts/management/performance.ts";
import type { PairPerformance } from "@tollgate/db/usage/read-performance.ts";
import type { CallSample } from "@tollgate/db/usage/sample-calls.ts";
import type { PerformanceRange } from "./performance-range.ts";

/** Converts a model's performance at one provider to the API format, including cells without calls. */
export function describePair(pair: PairPerformance, { time, cellMs }: PerformanceRange): ModelPerformance {
  const { model, provider, requests, errors, p50LatencyMs, p95LatencyMs, sample, lastFailure } = pair;
  const counted = new Map(pair.cells.map((cell) => [cell.atMs, cell]));
  const cells = Array.from({ length: (time.toMs - time.fromMs) / cellMs }, (_, index) => {
    const atMs = time.fromMs + index * cellMs;
    const cell = counted.get(atMs);
    return { at: new Date(atMs), requests: cell?.requests ?? 0, errors: cell?.errors ?? 0 };
  });
  return {
    model,
    provider: provider === "" ? null : provider,
    requests,
    errors,
    successRate: requests === 0 ? null : (requests - errors) / requests,
    p50LatencyMs,
    p95LatencyMs,
    medianFirstTokenMs: sample?.firstTokenMs ?? null,
    outputTokensPerSecond: sample?.outputTokensPerSecond ?? null,
    medianTiming: sample === null ? null : timingOf(sample),
    cells,
    lastError:
      lastFailure === null
        ? null
        : { at: lastFailure.at, httpStatus: lastFailure.httpStatus, errorCode: lastFailure.errorCode },
  };
}

/** Returns the timing of the sampled calls; null if no call was measured. */
export function timingOf(sample: CallSample): CallTiming | null {
  const { gatewayBeforeMs, queueMs, failedMs, waitMs, generationMs, gatewayAfterMs } = sample;
  if (gatewayBeforeMs === null) return null;
  return {
    gatewayBeforeMs,
    queueMs: queueMs ?? 0,
    failedMs: failedMs ?? 0,
    firstTokenMs: waitMs ?? 0,
    generationMs: generationMs ?? 0,
    gatewayAfterMs: gatewayAfterMs ?? 0,
  };
}
