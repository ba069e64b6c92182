const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

/**
 * Parses a decimal text and multiplies it by ten to the power of `places`. Exact unless the text has more decimals (a
 * third of a cent per minute has infinitely many); then the result is rounded half-up, so it is at most half a unit
 * off.
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
