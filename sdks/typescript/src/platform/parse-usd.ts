const NANO_DIGITS = 9;
const NANO_PER_USD = 1_000_000_000n;

/**
 * Parses a dollar amount typed by a user (`25`, `$1,250.5`) to exact nano-USD. Returns null if the text isn't an
 * amount.
 */
export function parseUsd(text: string): bigint | null {
  const match = /^\$?\s*(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text.trim().replaceAll(",", ""));
  if (match === null) return null;
  return BigInt(match[1] as string) * NANO_PER_USD + BigInt((match[2] ?? "").padEnd(NANO_DIGITS, "0"));
}
