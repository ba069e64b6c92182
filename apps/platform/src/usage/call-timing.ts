import type { CallTiming } from "@tollgate/contracts/management/performance.ts";
import type { CallTimes } from "@tollgate/domain/credit/call-times.ts";

interface TimedCall extends CallTimes {
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
}

/** Returns the timing of a call, or null if the timing wasn't measured. */
export function timingOf(call: TimedCall): CallTiming | null {
  const { gatewayBeforeUs, queueUs, failedUs, gatewayAfterUs, latencyMs } = call;
  if (gatewayBeforeUs === null || queueUs === null || failedUs === null || gatewayAfterUs === null) return null;
  const sentUs = gatewayBeforeUs + queueUs + failedUs;
  const endedUs = Math.max(sentUs, latencyMs * 1_000 - gatewayAfterUs);
  // If there was no first token, the remaining time counts as time spent waiting for it.
  const firstUs = call.firstTokenMs === null ? endedUs : call.firstTokenMs * 1_000;
  const answeredUs = Math.min(endedUs, Math.max(sentUs, firstUs));
  return {
    gatewayBeforeMs: gatewayBeforeUs / 1_000,
    queueMs: queueUs / 1_000,
    failedMs: failedUs / 1_000,
    firstTokenMs: (answeredUs - sentUs) / 1_000,
    generationMs: (endedUs - answeredUs) / 1_000,
    gatewayAfterMs: gatewayAfterUs / 1_000,
  };
}
