/** All money is in bigint nano-USD: 1 USD is 1,000,000,000 nano-USD. */
export type NanoUsd = bigint;

export const NANO_PER_USD = 1_000_000_000n;
export const NANO_PER_CENT = 10_000_000n;
export const PICO_PER_NANO = 1_000n;

const ZERO = 48;
const DECIMAL = /^(\d{1,20})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;
const NANO_DECIMALS = 9;

/** Parses a decimal number of USD, as JSON writes it, and rounds it half-up. Returns null for any other text. */
export function parseUsd(text: string): NanoUsd | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole + fraction);
  const shift = NANO_DECIMALS + Number(exponent) - fraction.length;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (digits * 2n + divisor) / (divisor * 2n);
}

/** Formats USD as a plain decimal without an exponent or trailing zeros, exact to the nano-USD. */
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

/** Formats dollars and cents for display, rounded down so that a balance never appears too high. */
export function formatCents(amount: NanoUsd): string {
  const remainder = amount % NANO_PER_CENT;
  const cents = amount / NANO_PER_CENT - (remainder < 0n ? 1n : 0n);
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
