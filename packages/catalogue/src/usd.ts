/** The double nearest to the exact amount, for display fields such as `input_cost_per_token`: read from decimal text, never divided. */
export function picoToUsdNumber(pico: bigint): number {
  return Number(`${pico}e-12`);
}
