import type { Contestant } from "./contestant.ts";

/**
 * Returns the same running program as a second contestant that may use every core. The processes are the same, because
 * one start of a program costs up to 10% more than another.
 */
export function unpinned(contestant: Contestant): Contestant {
  return { ...contestant, name: `${contestant.name}-unpinned`, isUnpinned: true };
}
