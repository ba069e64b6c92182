import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { LOOK_MS, type PressureGauge, type PressureSample } from "./pressure.ts";

/** The delay is sampled this often, and the sampling itself is part of what is measured. */
const RESOLUTION_MS = 10;
const NANO_PER_MS = 1_000_000;

/** Looks four times a second at how late this process's timers are and how full its memory is. Returns how to stop. */
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
