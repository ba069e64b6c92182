import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { LOOK_MS, type PressureGauge, type PressureSample } from "./pressure.ts";

/** Sampling interval of the delay monitor. The delays that it measures include this interval. */
const RESOLUTION_MS = 10;
const NANO_PER_MS = 1_000_000;
/**
 * Interval between samples of a process without calls. Its memory can still fill up, and reads of lists and logs are
 * shed under pressure, too.
 */
const IDLE_LOOK_MS = 2_000;
/**
 * Fraction of the time that the event loop must be busy for the delay monitor to run. The monitor's 90th percentile can
 * exceed the lowest threshold of 50 ms only if the event loop is busy at least 40% of the time, so below this fraction
 * the monitor's 100 wake-ups per second would measure nothing.
 */
const BUSY_PART = 0.3;
/** Delay of one sample that also starts the monitor, because a process that gets no CPU time is late but not busy. */
const LATE_MS = 25;

export interface ProcessWatch {
  /** Starts the frequent samples, because calls are in flight. Cheap enough to be called for every call. */
  wake(): void;
  stop(): void;
}

/**
 * Samples the timer delay and heap usage of this process: four times per second while calls are in flight, and
 * otherwise every two seconds. While the event loop is busy, a monitor measures the delay every 10 ms. Otherwise the
 * delay is that of the sample's own timer.
 */
export function watchProcess(
  gauge: PressureGauge,
  known: () => Pick<PressureSample, "inFlight" | "unsentBytes">,
): ProcessWatch {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let isMonitoring = false;
  let isAwake = false;
  let isStopped = false;
  let utilization = performance.eventLoopUtilization();
  let dueAtMs = 0;
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    const intervalMs = isAwake ? LOOK_MS : IDLE_LOOK_MS;
    dueAtMs = performance.now() + intervalMs;
    timer = setTimeout(look, intervalMs).unref();
  }

  function look(): void {
    const lateMs = Math.max(0, performance.now() - dueAtMs);
    const before = utilization;
    utilization = performance.eventLoopUtilization();
    const busyPart = performance.eventLoopUtilization(utilization, before).utilization;
    // A monitor that was just started may not have measured a delay yet.
    const isMeasured = isMonitoring && monitor.count > 0;
    const lagMs = isMeasured ? Math.max(0, monitor.percentile(90) / NANO_PER_MS - RESOLUTION_MS) : lateMs;
    monitorIf(busyPart >= BUSY_PART || lateMs >= LATE_MS || lagMs >= LATE_MS);
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const sample = { lagMs, heapPart: used / limit, ...known() };
    gauge.note(sample);
    isAwake = sample.inFlight > 0 || isMonitoring || !gauge.isCalm;
    if (!isStopped) schedule();
  }

  function monitorIf(isNeeded: boolean): void {
    if (isNeeded && !isMonitoring) monitor.enable();
    if (!isNeeded && isMonitoring) monitor.disable();
    isMonitoring = isNeeded;
    monitor.reset();
  }

  schedule();
  return {
    wake() {
      if (isAwake) return;
      isAwake = true;
      clearTimeout(timer);
      utilization = performance.eventLoopUtilization();
      schedule();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      monitor.disable();
    },
  };
}
