import type { CallTiming, ModelPerformance } from "@tollgate/contracts/management/performance.ts";
import { type PairPerformance, settledRequests } from "@tollgate/db/usage/read-performance.ts";
import type { CallSample } from "@tollgate/db/usage/sample-calls.ts";
import { errorRate } from "@tollgate/domain/figures/request-class.ts";
import type { PerformanceRange } from "./performance-range.ts";

/** Converts a model's performance at one provider to the API format, including cells without calls. */
export function describePair(pair: PairPerformance, { time, cellMs }: PerformanceRange): ModelPerformance {
  const { model, provider, p50LatencyMs, p95LatencyMs, sample, lastFailure } = pair;
  const { succeeded, failed, rejected, canceled } = pair;
  const rate = errorRate(pair);
  const counted = new Map(pair.cells.map((cell) => [cell.atMs, cell]));
  const cells = Array.from({ length: (time.toMs - time.fromMs) / cellMs }, (_, index) => {
    const atMs = time.fromMs + index * cellMs;
    const cell = counted.get(atMs);
    const requests = cell === undefined ? 0 : settledRequests(cell);
    return { at: new Date(atMs), requests, succeeded: cell?.succeeded ?? 0, failed: cell?.failed ?? 0 };
  });
  return {
    model,
    provider: provider === "" ? null : provider,
    requests: settledRequests(pair),
    ...{ succeeded, failed, rejected, canceled },
    errorRate: rate,
    successRate: rate === null ? null : 1 - rate,
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
