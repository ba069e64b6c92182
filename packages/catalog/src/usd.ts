/**
 * Converts to the nearest double for display fields such as `input_cost_per_token`: parsed from text, never divided.
 */
export function picoToUsdNumber(pico: bigint): number {
  return Number(`${pico}e-12`);
}
