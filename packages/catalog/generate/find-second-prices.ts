import { calcPrice } from "@pydantic/genai-prices";
import type { PriceField } from "../src/model.ts";
import { type FlatPrices, tierField } from "./flat-prices.ts";
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

const fields: Readonly<Record<string, PriceField>> = {
  input_mtok: "input",
  output_mtok: "output",
  cache_read_mtok: "cacheRead",
  cache_write_mtok: "cacheWrite",
  output_reasoning_mtok: "outputReasoning",
  input_audio_mtok: "inputAudio",
  output_audio_mtok: "outputAudio",
};

/** One USD per million tokens is a million pico-USD per token. */
const USD_PER_MILLION_TO_PICO_PLACES = 6;

/**
 * Returns the second source's prices at the given time. The source uses floats, so each price is read as its printed
 * decimal.
 */
export function findSecondPrices(provider: string, model: string, at: Date): FlatPrices {
  const prices = new Map<string, bigint>();
  const providerId = providerIds[provider];
  const found = providerId === undefined ? null : calcPrice({}, model, { providerId, timestamp: at });
  for (const [name, price] of Object.entries(found?.model_price ?? {})) {
    const field = fields[name];
    if (!field || price === undefined) continue;
    if (typeof price === "number") {
      prices.set(field, toPico(price));
      continue;
    }
    prices.set(field, toPico(price.base));
    for (const tier of price.tiers) prices.set(tierField(field, tier.start), toPico(tier.price));
  }
  return prices;
}

function toPico(usdPerMillion: number): bigint {
  return scaleDecimal(String(usdPerMillion), USD_PER_MILLION_TO_PICO_PLACES);
}
