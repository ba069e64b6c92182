import type { Mode, Review } from "../src/model.ts";
import type { FlatPrices } from "./flat-prices.ts";

export interface SettledPrices {
  readonly prices: FlatPrices;
  readonly review: readonly Review<bigint>[];
}

/**
 * Combines the prices of two sources. The first source takes precedence, and differences are marked. Prices that only
 * the second source has are used if both sources agree on all shared fields, because only then do both sources describe
 * the same model and day. Implausible prices are dropped: a call without a known price is refused, but a wrong price
 * would be charged.
 */
export function settlePrices(mode: Mode, first: FlatPrices, second: FlatPrices): SettledPrices {
  const shared = [...first.keys()].filter((field) => second.has(field));
  const differs = shared.some((field) => first.get(field) !== second.get(field));
  const agrees = shared.length > 0 && !differs;
  const prices = new Map<string, bigint>();
  const review: Review<bigint>[] = [];

  for (const field of [...new Set([...first.keys(), ...second.keys()])].sort()) {
    const ours = first.get(field);
    const theirs = second.get(field);
    const isMarked = ours === undefined ? differs : theirs !== undefined && theirs !== ours;
    const figure = ours ?? (agrees ? theirs : undefined);
    const isUsed = figure !== undefined && isBelievable(mode, field, figure, first);
    if (isUsed) prices.set(field, figure);
    if (isMarked || (figure !== undefined && !isUsed)) {
      review.push({ field, first: ours ?? null, second: theirs ?? null });
    }
  }
  return { prices, review };
}

/**
 * Limits for plausible prices: 1,000 USD per million tokens, and 10 USD for embeddings. Higher prices have the wrong
 * unit.
 */
const BELIEVABLE_PICO_PER_TOKEN = 1_000_000_000n;
const BELIEVABLE_PICO_PER_EMBEDDED_TOKEN = 10_000_000n;

function isBelievable(mode: Mode, field: string, figure: bigint, prices: FlatPrices): boolean {
  if (figure === 0n) return isNeverCharged(mode, field, prices);
  if (field.includes("Per") || field === "perQuery") return true;
  return figure <= (mode === "embedding" ? BELIEVABLE_PICO_PER_EMBEDDED_TOKEN : BELIEVABLE_PICO_PER_TOKEN);
}

/**
 * Reports whether a zero is a real price. In the sources, zero usually means an unknown price, unless the mode never
 * bills the unit.
 */
function isNeverCharged(mode: Mode, field: string, prices: FlatPrices): boolean {
  const isCharged = (other: string): boolean => (prices.get(other) ?? 0n) > 0n;
  if (mode === "embedding") return field === "output" && isCharged("input");
  if (mode === "rerank") return (field === "input" || field === "output") && isCharged("perQuery");
  if (mode === "audio_transcription") return field === "outputPerSecond" && isCharged("inputPerSecond");
  return false;
}
