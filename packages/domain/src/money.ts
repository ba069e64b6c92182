/** All money is bigint nano-USD: 1 USD is 1,000,000,000 of them. */
export type NanoUsd = bigint;

export const NANO_PER_USD = 1_000_000_000n;
export const PICO_PER_NANO = 1_000n;

/** USD as a plain decimal with no exponent and no trailing zeros, exact to the nano-USD. */
export function formatUsd(amount: NanoUsd): string {
  if (amount === 0n) return "0";
  const isNegative = amount < 0n;
  const absolute = isNegative ? -amount : amount;
  const fraction = (absolute % NANO_PER_USD).toString().padStart(9, "0").replace(/0+$/, "");
  const whole = (absolute / NANO_PER_USD).toString();
  return `${isNegative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
