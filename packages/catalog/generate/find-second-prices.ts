import { type ConditionalPrice, calcPrice, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices";
import type { PriceField } from "../src/model.ts";
import { type FlatPrices, tierField } from "./flat-prices.ts";
import type { ListedRule } from "./read-price-list.ts";
import { scaleDecimal } from "./scale-decimal.ts";

/** Our provider names, mapped to the second source's names. The second source has no prices for other providers. */
const providerIds: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  azure: "azure",
  azure_ai: "azure",
  bedrock: "aws",
  cerebras: "cerebras",
  cloudflare: "cloudflare",
  cohere: "cohere",
  deepseek: "deepseek",
  fireworks_ai: "fireworks",
  gemini: "google",
  groq: "groq",
  minimax: "minimax",
  mistral: "mistral",
  moonshot: "moonshotai",
  novita: "novita",
  openai: "openai",
  openrouter: "openrouter",
  perplexity: "perplexity",
  together_ai: "together",
  vertex_ai: "google",
  voyage: "voyageai",
  xai: "x-ai",
  zai: "zai",
};

/** The second source's prices of a model. */
export interface SecondPrices {
  readonly prices: FlatPrices;
  /** Prices at certain hours. The others apply at all other times. */
  readonly hours: readonly ListedRule[];
}

const fields: Readonly<Record<string, PriceField>> = {
  input_mtok: "input",
  output_mtok: "output",
  cache_read_mtok: "cacheRead",
  cache_write_mtok: "cacheWrite",
  output_reasoning_mtok: "outputReasoning",
  input_audio_mtok: "inputAudio",
  output_audio_mtok: "outputAudio",
  cache_write_1h_mtok: "longCacheWrite",
};

const feeFields: Readonly<Record<string, PriceField>> = {
  web_searches_kcount: "perWebSearch",
  storage_searches_kcount: "perFileSearch",
};

/** One USD per million tokens is a million pico-USD per token. */
const USD_PER_MILLION_TO_PICO_PLACES = 6;
const USD_PER_THOUSAND_TO_PICO_PLACES = 9;

const noPrices: SecondPrices = { prices: new Map(), hours: [] };

/**
 * Returns the second source's prices at the given time. The source uses floats, so each price is read as its printed
 * decimal.
 */
export function findSecondPrices(provider: string, model: string, at: Date): SecondPrices {
  const providerId = providerIds[provider];
  const found = providerId === undefined ? null : calcPrice({}, model, { providerId, timestamp: at });
  if (found === null) return noPrices;
  return { prices: readPrices(found.model_price), hours: readHours(found.model) };
}

function readPrices(listed: ModelPrice): FlatPrices {
  const prices = new Map<string, bigint>();
  for (const [name, price] of Object.entries(listed)) {
    const fee = feeFields[name];
    if (fee !== undefined && typeof price === "number") prices.set(fee, toPico(price, USD_PER_THOUSAND_TO_PICO_PLACES));
    const field = fields[name];
    if (!field || price === undefined) continue;
    if (typeof price === "number") {
      prices.set(field, toPico(price));
      continue;
    }
    prices.set(field, toPico(price.base));
    for (const tier of price.tiers) prices.set(tierField(field, thresholdOf(tier.start)), toPico(tier.price));
  }
  return prices;
}

/** Returns the threshold of a tier. Some tiers start one token below the round number that the provider names. */
function thresholdOf(start: number): number {
  return (start + 1) % 1_000 === 0 ? start + 1 : start;
}

/** The source can't express days, so a comment says that a model has no peak hours at weekends. */
const NO_WEEKENDS = /off-peak all day at weekends/;
const WORKDAYS = [1, 2, 3, 4, 5];

/** Returns the prices at certain hours. All of them are in UTC. */
function readHours({ prices, price_comments: comments }: ModelInfo): readonly ListedRule[] {
  if (!Array.isArray(prices)) return [];
  return (prices as readonly ConditionalPrice[]).flatMap(({ constraint, prices: listed }): ListedRule[] => {
    if (constraint?.type !== "time_of_date") return [];
    const hours = {
      name: "peak hours",
      timeZone: "UTC",
      days: NO_WEEKENDS.test(comments ?? "") ? WORKDAYS : [],
      fromMinute: toMinute(constraint.start_time),
      toMinute: toMinute(constraint.end_time),
    };
    return [{ when: { hours }, prices: readPrices(listed) }];
  });
}

function toMinute(time: string): number {
  const [, hour, minute] = /^(\d{2}):(\d{2}):00Z$/.exec(time) ?? [];
  if (hour === undefined || minute === undefined) throw new Error(`not a time in UTC: ${time}`);
  return Number(hour) * 60 + Number(minute);
}

function toPico(usd: number, places = USD_PER_MILLION_TO_PICO_PLACES): bigint {
  return scaleDecimal(String(usd), places);
}
