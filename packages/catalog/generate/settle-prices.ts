import type { Mode, Review } from "../src/model.ts";
import { isPlausiblePrice } from "../src/plausible-price.ts";
import type { SecondPrices } from "./find-second-prices.ts";
import type { FlatPrices } from "./flat-prices.ts";
import type { ListedRule } from "./read-price-list.ts";

export interface SettledPrices {
  readonly prices: FlatPrices;
  readonly review: readonly Review<bigint>[];
  /** The prices that come from the second source. */
  readonly fromSecond: readonly string[];
}

/** Prices by the hour, if the second source has them. */
export interface SettledHours {
  /** The prices at all other times. */
  readonly first: FlatPrices;
  readonly hours: readonly ListedRule[];
}

/**
 * Uses the second source's prices by the hour if the first source has the prices of one of these hours, or those of all
 * other times. Otherwise, the sources don't describe the same prices.
 */
export function settleHours(first: FlatPrices, { prices, hours }: SecondPrices): SettledHours {
  if (hours.length === 0) return { first, hours };
  const isListed = [prices, ...hours.map((hour) => hour.prices)].some((one) =>
    [...one].every(([field, price]) => first.get(field) === price),
  );
  return isListed ? { first: new Map([...first, ...prices]), hours } : { first, hours: [] };
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
  const fromSecond: string[] = [];

  for (const field of [...new Set([...first.keys(), ...second.keys()])].sort()) {
    const ours = first.get(field);
    const theirs = second.get(field);
    const isMarked = ours === undefined ? differs : theirs !== undefined && theirs !== ours;
    const figure = ours ?? (agrees ? theirs : undefined);
    const isUsed = figure !== undefined && isBelievable(mode, field, figure, first);
    if (isUsed) prices.set(field, figure);
    if (isUsed && ours === undefined) fromSecond.push(field);
    if (isMarked || (figure !== undefined && !isUsed)) {
      review.push({ field, first: ours ?? null, second: theirs ?? null });
    }
  }
  return { prices, review, fromSecond };
}

function isBelievable(mode: Mode, field: string, figure: bigint, prices: FlatPrices): boolean {
  if (figure === 0n) return isNeverCharged(mode, field, prices);
  return isPlausiblePrice(mode, field, figure);
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
