const TICK_MS = 10;

let lagMs = 0;
let tickedAtMs = performance.now();

// The load generator shares this process with all other callers, so event loop lag delays all of them.
setInterval(() => {
  const nowMs = performance.now();
  lagMs += Math.max(0, nowMs - tickedAtMs - TICK_MS);
  tickedAtMs = nowMs;
}, TICK_MS).unref();

/**
 * Returns the total event loop lag of this process, the load generator, since its start. Compare two values to measure
 * a period.
 */
export function generatorLagMs(): number {
  return lagMs + Math.max(0, performance.now() - tickedAtMs - TICK_MS);
}
