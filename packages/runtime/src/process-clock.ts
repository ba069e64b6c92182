import type { Clock } from "@tollgate/domain/credit/ports.ts";

/** The time of this process. */
export const processClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: Date.now,
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
