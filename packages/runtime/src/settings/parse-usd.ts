const PICO_DECIMALS = 12;
/**
 * Maximum exponent. Sufficient for any realistic price, and prevents `1e999999999` from becoming a number with a
 * billion digits.
 */
const MAX_EXPONENT = 40;
const MAX_DIGITS = 60;
const DECIMAL = /^(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

type ParsedDecimal =
  | { readonly kind: "exact"; readonly value: bigint }
  | { readonly kind: "malformed" }
  | { readonly kind: "too-fine" };

/** Parses a price such as `2.5e-06` USD into pico-USD. Rejects prices that would have to be rounded. */
export function parseUsdPerTokenToPico(text: string): ParsedDecimal {
  return parseDecimal(text, PICO_DECIMALS);
}

/**
 * Parses a nonnegative decimal into a count of its smallest unit. Distinguishes too many decimal places from invalid
 * text.
 */
export function parseDecimal(text: string, decimals: number): ParsedDecimal {
  const match = DECIMAL.exec(text.replace(/^\+/, ""));
  const [, whole = "", fraction = "", exponentText = "0"] = match ?? [];
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  if (match === null || digits === "" || digits.length > MAX_DIGITS || Math.abs(exponent) > MAX_EXPONENT) {
    return { kind: "malformed" };
  }
  const value = BigInt(digits);
  const shift = decimals + exponent - fraction.length;
  if (shift >= 0) return { kind: "exact", value: value * 10n ** BigInt(shift) };
  const divisor = 10n ** BigInt(-shift);
  return value % divisor === 0n ? { kind: "exact", value: value / divisor } : { kind: "too-fine" };
}
