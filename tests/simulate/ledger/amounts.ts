/** Returns the smaller of two amounts. */
export function smaller(one: bigint, other: bigint): bigint {
  if (one < other) return one;
  return other;
}

/** Returns the larger of two amounts. */
export function larger(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}
