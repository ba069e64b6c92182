/** Measured cost of one gateway process: a fixed share of a core at any load, and a cost per unit of load. */
export interface GatewayCosts {
  readonly callFixedCores: number;
  readonly microsPerCall: number;
  /** Cost of each KiB of a request beyond the first. */
  readonly microsPerKiB: number;
  readonly streamFixedCores: number;
  readonly microsPerChunk: number;
}

/** A measured load: a rate per second, and the number of cores that it used. */
export interface Measured {
  readonly perSecond: number;
  readonly cores: number;
}

/** Fits a line through two loads, which gives the fixed cost and the cost per unit. */
export function fitLine(one: Measured, other: Measured): { readonly fixedCores: number; readonly microsEach: number } {
  const coresEach = (other.cores - one.cores) / (other.perSecond - one.perSecond);
  return { fixedCores: one.cores - coresEach * one.perSecond, microsEach: coresEach * 1e6 };
}

/** Returns the number of cores that one process needs for calls with an immediate upstream response. */
export function coresForCalls(costs: GatewayCosts, callsPerSecond: number, moreKiB = 0): number {
  return costs.callFixedCores + (callsPerSecond * (costs.microsPerCall + costs.microsPerKiB * moreKiB)) / 1e6;
}

/** Returns the number of cores that one process needs to relay chunks of open streams. */
export function coresForChunks(costs: GatewayCosts, chunksPerSecond: number): number {
  return costs.streamFixedCores + (chunksPerSecond * costs.microsPerChunk) / 1e6;
}

/** Returns the calls per second that one process serves with this share of its core. */
export function callsWithin(costs: GatewayCosts, cores: number, moreKiB = 0): number {
  return Math.max(0, ((cores - costs.callFixedCores) * 1e6) / (costs.microsPerCall + costs.microsPerKiB * moreKiB));
}

/** Returns the chunks per second that one process relays with this share of its core. */
export function chunksWithin(costs: GatewayCosts, cores: number): number {
  return Math.max(0, ((cores - costs.streamFixedCores) * 1e6) / costs.microsPerChunk);
}
