import type { Mode, Review } from "../src/model.ts";
import type { FlatPrices } from "./flat-prices.ts";

export interface SettledPrices {
  readonly prices: FlatPrices;
  readonly review: readonly Review<bigint>[];
}

/**
 * One set of prices from two sources. The first source's figure stands and a difference is marked. What only the second
 * holds is taken when the two agree wherever both speak, because only then do they mean the same model and the same day.
 * A figure that cannot be meant is left out: an unknown price refuses a call, a wrong one charges for it.
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

/** No model costs a thousand USD per million tokens, and no embedding ten: such figures are slips of the unit. */
const BELIEVABLE_PICO_PER_TOKEN = 1_000_000_000n;
const BELIEVABLE_PICO_PER_EMBEDDED_TOKEN = 10_000_000n;

function isBelievable(mode: Mode, field: string, figure: bigint, prices: FlatPrices): boolean {
  if (figure === 0n) return isNeverCharged(mode, field, prices);
  if (field.includes("Per") || field === "perQuery") return true;
  return figure <= (mode === "embedding" ? BELIEVABLE_PICO_PER_EMBEDDED_TOKEN : BELIEVABLE_PICO_PER_TOKEN);
}

/** A zero in the sources mostly means that nobody knows. It is a price only for what this kind of model does not charge by. */
function isNeverCharged(mode: Mode, field: string, prices: FlatPrices): boolean {
  const isCharged = (other: string): boolean => (prices.get(other) ?? 0n) > 0n;
  if (mode === "embedding") return field === "output" && isCharged("input");
  if (mode === "rerank") return (field === "input" || field === "output") && isCharged("perQuery");
  if (mode === "audio_transcription") return field === "outputPerSecond" && isCharged("inputPerSecond");
  return false;
}
