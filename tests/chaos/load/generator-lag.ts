const TICK_MS = 10;

let lagMs = 0;
let tickedAtMs = performance.now();

// The load and everything that makes calls share one process: where its event loop is late, all of them are.
setInterval(() => {
  const nowMs = performance.now();
  lagMs += Math.max(0, nowMs - tickedAtMs - TICK_MS);
  tickedAtMs = nowMs;
}, TICK_MS).unref();

/** For how long this process, the load generator, has been late since its start. The difference of two is what counts. */
export function generatorLagMs(): number {
  return lagMs + Math.max(0, performance.now() - tickedAtMs - TICK_MS);
}
