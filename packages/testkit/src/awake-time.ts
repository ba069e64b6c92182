import { onTestFinished } from "vitest";

/** The CPU time that this thread had used at a point in time. */
export interface Tick {
  readonly atMs: number;
  readonly cpuMs: number;
}

const TICK_MS = 5;
/** A longer time between two ticks is a stall, in which a starved machine ran other processes. */
const MAX_WAIT_MS = 10;

/**
 * Starts to measure, until the test ends, how long this process runs or could run. Returns a function for the time
 * between two values of `performance.now()`. Use it for a promised time if the code under test runs in this process.
 */
export function watchAwakeTime(): (fromMs: number, toMs: number) => number {
  const ticks = [readTick()];
  const timer = setInterval(() => ticks.push(readTick()), TICK_MS);
  onTestFinished(() => clearInterval(timer));
  return (fromMs, toMs) => sumAwakeTime([...ticks, readTick()], fromMs, toMs);
}

/** Returns the time between two points without stalls. Work of this thread is no stall, no matter how long it takes. */
export function sumAwakeTime(ticks: readonly Tick[], fromMs: number, toMs: number): number {
  let awakeMs = 0;
  for (const [index, tick] of ticks.entries()) {
    const before = ticks[index - 1];
    if (before === undefined) continue;
    const passedMs = Math.min(tick.atMs, toMs) - Math.max(before.atMs, fromMs);
    if (passedMs > 0) awakeMs += Math.min(passedMs, Math.max(MAX_WAIT_MS, tick.cpuMs - before.cpuMs));
  }
  return awakeMs;
}

function readTick(): Tick {
  const { user, system } = process.threadCpuUsage();
  return { atMs: performance.now(), cpuMs: (user + system) / 1_000 };
}
