import { type NanoUsd, PICO_PER_NANO } from "../money.ts";
import { type BillingUnit, countedUnits } from "./billing-units.ts";
import { type Price, priceInTier } from "./price-call.ts";
import type { Usage } from "./usage.ts";

export type CostUnit = BillingUnit["costLine"];

/** One billing unit of a call: its count, rate, and amount. */
interface CostLine {
  readonly unit: CostUnit;
  readonly count: number;
  /** Nano-USD per million units; null if the price is unknown. */
  readonly ratePerMillion: NanoUsd | null;
  readonly amount: NanoUsd;
}

interface ExactLine extends Omit<CostLine, "amount"> {
  /** Amount in thousandths of a pico-USD, so that milliseconds of audio are also exact. */
  readonly exact: bigint;
}

const MILLION = 1_000_000n;
const EXACT_PER_PICO = 1_000n;
const EXACT_PER_NANO = PICO_PER_NANO * EXACT_PER_PICO;
/** Counted units in the order of their lines: audio, which has fractions, is last. */
const countedLines = countedUnits.toSorted((one, other) => one.countsPerPrice - other.countsPerPrice);

/**
 * Breaks down the cost of a call by unit. The amounts add up exactly to the cost: each amount is rounded down, and the
 * remainder goes to the amounts with the largest fractions.
 */
export function listCostLines(usage: Usage, price: Price | null, cost: NanoUsd): CostLine[] {
  const lines = exactLines(usage, price);
  const amounts = lines.map(({ exact }) => exact / EXACT_PER_NANO);
  const lost = lines.map(({ exact }, index) => ({ index, part: exact % EXACT_PER_NANO }));
  let rest = cost - amounts.reduce((sum, amount) => sum + amount, 0n);
  for (const { index } of lost.toSorted((one, other) => Number(other.part - one.part))) {
    if (rest <= 0n) break;
    amounts[index] = (amounts[index] as bigint) + 1n;
    rest -= 1n;
  }
  return lines.map(({ unit, count, ratePerMillion }, index) => ({
    unit,
    count,
    ratePerMillion,
    amount: amounts[index] as bigint,
  }));
}

/** Lists the units that the call used. Tokens are subtracted from the counters that include them. */
function exactLines(usage: Usage, listed: Price | null): ExactLine[] {
  const price = listed === null ? null : priceFor(usage, listed);
  const { audioInputTokens: audioInput, audioOutputTokens: audioOutput, longCacheWriteTokens: longCacheWrite } = usage;
  const line = (unit: CostUnit, count: number, pico: bigint | null | undefined, countsPerPrice = 1): ExactLine => ({
    unit,
    count: count / countsPerPrice,
    ratePerMillion: price === null ? null : ((pico ?? 0n) * MILLION) / PICO_PER_NANO,
    exact: (BigInt(count) * (pico ?? 0n) * EXACT_PER_PICO) / BigInt(countsPerPrice),
  });
  return [
    line("input", usage.inputTokens - audioInput, price?.input),
    line("cached_input", usage.cacheReadTokens, price?.cacheRead ?? price?.input),
    line("cache_write", usage.cacheWriteTokens - longCacheWrite, price?.cacheWrite ?? price?.input),
    line("long_cache_write", longCacheWrite, price?.longCacheWrite ?? price?.cacheWrite ?? price?.input),
    line("audio_input", audioInput, price?.audioInput ?? price?.input),
    line("output", usage.outputTokens - usage.reasoningTokens - audioOutput, price?.output),
    line("reasoning", usage.reasoningTokens, price?.reasoning ?? price?.output),
    line("audio_output", audioOutput, price?.audioOutput ?? price?.output),
    ...countedLines.map((unit) => line(unit.costLine, usage[unit.name], price?.[unit.price], unit.countsPerPrice)),
  ].filter(({ count }) => count > 0);
}

function priceFor(usage: Usage, price: Price): Price {
  const { tier } = price;
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return tier !== null && prompt > tier.aboveInputTokens ? priceInTier(price, tier) : price;
}
