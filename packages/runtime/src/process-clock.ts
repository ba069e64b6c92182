import type { Clock } from "@tollgate/domain/credit/ports.ts";

/** The time of this process. */
export const processClock: Clock = {
  // Called several times per call. A function around it would take 10 ns longer.
  monotonicMs: performance.now.bind(performance),
  wallMs: Date.now,
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
