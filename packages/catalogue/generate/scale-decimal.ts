const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;

/**
 * The number a decimal text stands for, times ten to the `places`. Exact, unless the text is finer than that (a third of
 * a cent per minute has no end): then rounded half-up, which is off by half a unit at most.
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
