import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { LOOK_MS, type PressureGauge, type PressureSample } from "./pressure.ts";

/** Sampling interval for the timer delay. The measured delays include this interval. */
const RESOLUTION_MS = 10;
const NANO_PER_MS = 1_000_000;

/**
 * Samples the timer delay and heap usage of this process four times per second. Returns a function that stops the
 * sampling.
 */
export function watchProcess(
  gauge: PressureGauge,
  known: () => Pick<PressureSample, "inFlight" | "unsentBytes">,
): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const look = () => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const lagMs = Math.max(0, delay.percentile(90) / NANO_PER_MS - RESOLUTION_MS);
    delay.reset();
    gauge.note({ lagMs, heapPart: used / limit, ...known() });
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    delay.disable();
  };
}
