/** What one gateway process costs, as measured. A share of a core that any load costs, and what each piece of it adds. */
export interface GatewayCosts {
  readonly callFixedCores: number;
  readonly microsPerCall: number;
  /** Each KiB of a request beyond the first. */
  readonly microsPerKiB: number;
  readonly streamFixedCores: number;
  readonly microsPerChunk: number;
}

/** A measured load: so much of something a second took so many cores. */
export interface Measured {
  readonly perSecond: number;
  readonly cores: number;
}

/** The line through two loads: what costs something at any rate, and what each one adds. */
export function fitLine(one: Measured, other: Measured): { readonly fixedCores: number; readonly microsEach: number } {
  const coresEach = (other.cores - one.cores) / (other.perSecond - one.perSecond);
  return { fixedCores: one.cores - coresEach * one.perSecond, microsEach: coresEach * 1e6 };
}

/** Cores of one process for calls that are answered at once. */
export function coresForCalls(costs: GatewayCosts, callsPerSecond: number, moreKiB = 0): number {
  return costs.callFixedCores + (callsPerSecond * (costs.microsPerCall + costs.microsPerKiB * moreKiB)) / 1e6;
}

/** Cores of one process for chunks of streams that are open. */
export function coresForChunks(costs: GatewayCosts, chunksPerSecond: number): number {
  return costs.streamFixedCores + (chunksPerSecond * costs.microsPerChunk) / 1e6;
}

/** How many calls a second one process serves with that much of its core. */
export function callsWithin(costs: GatewayCosts, cores: number, moreKiB = 0): number {
  return Math.max(0, ((cores - costs.callFixedCores) * 1e6) / (costs.microsPerCall + costs.microsPerKiB * moreKiB));
}

/** How many chunks a second one process relays with that much of its core. */
export function chunksWithin(costs: GatewayCosts, cores: number): number {
  return Math.max(0, ((cores - costs.streamFixedCores) * 1e6) / costs.microsPerChunk);
}
