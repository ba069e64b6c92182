/**
 * Converts an amount to the nearest double for display fields such as `input_cost_per_token`. Parses the decimal text,
 * because division could round differently.
 */
export function picoToUsdNumber(pico: bigint): number {
  return Number(`${pico}e-12`);
}
