const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

/**
 * Parses a decimal string and multiplies it by ten to the power of `places`. The result is exact unless the string has
 * more than `places` decimal places, as with a third of a cent per minute. The result is then rounded half-up, so it is
 * off by at most half a unit.
 */
export function scaleDecimal(text: string, places: number): bigint {
  const match = DECIMAL.exec(text);
  if (!match) throw new Error(`not a plain decimal: ${text}`);
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole + fraction);
  const shift = places + Number(exponent) - fraction.length;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (digits * 2n + divisor) / (divisor * 2n);
}
