/** Returns the spent share of the cap, 0 to 1. A cap of zero always counts as reached. */
export function capShare(spent: bigint, limit: bigint): number {
  if (limit <= 0n || spent >= limit) return 1;
  return spent <= 0n ? 0 : Number((spent * 10_000n) / limit) / 10_000;
}
