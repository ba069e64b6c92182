/** The smaller of two amounts. */
export function smaller(one: bigint, other: bigint): bigint {
  if (one < other) return one;
  return other;
}

/** The larger of two amounts. */
export function larger(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}
