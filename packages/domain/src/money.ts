/** All money is bigint nano-USD: 1 USD is 1,000,000,000 of them. */
export type NanoUsd = bigint;

export const NANO_PER_USD = 1_000_000_000n;
export const PICO_PER_NANO = 1_000n;

const ZERO = 48;

/** USD as a plain decimal with no exponent and no trailing zeros, exact to the nano-USD. */
export function formatUsd(amount: NanoUsd): string {
  if (amount === 0n) return "0";
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, "0");
  const point = digits.length - 9;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  const whole = sign + digits.slice(0, point);
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}
