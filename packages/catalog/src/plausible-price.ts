import type { Mode } from "./model.ts";

/**
 * Limits for plausible prices: 1,000 USD per million tokens, and 10 USD for embeddings. Higher prices have the wrong
 * unit.
 */
const MAX_PICO_PER_TOKEN = 1_000_000_000n;
const MAX_PICO_PER_EMBEDDED_TOKEN = 10_000_000n;

/** Reports whether a price above zero has a plausible amount. Prices of other units than tokens have no limit. */
export function isPlausiblePrice(mode: Mode, field: string, amount: bigint): boolean {
  if (amount <= 0n) return false;
  if (/[Pp]er[A-Z]/.test(field)) return true;
  return amount <= (mode === "embedding" ? MAX_PICO_PER_EMBEDDED_TOKEN : MAX_PICO_PER_TOKEN);
}
