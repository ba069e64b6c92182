import { mapPrices, type OptionalPrices } from "@tollgate/domain/pricing/billing-units.ts";
import { composePrice, type KnownPrices } from "@tollgate/domain/pricing/compose-price.ts";
import type { Price, PriceTier } from "@tollgate/domain/pricing/price-call.ts";
import type { Model, Prices } from "./model.ts";

/** Returns the price of a model, or null if the catalog lacks data. */
export function priceOfModel({ mode, prices }: Pick<Model, "mode" | "prices">): Price | null {
  // Only one tier is supported, so a model with several tiers would be underpriced. Per-query prices are supported only
  // for reranking, so other models' queries would be free.
  if ((prices.tiers?.length ?? 0) > 1 || ((prices.perQuery ?? 0n) > 0n && mode !== "rerank")) return null;
  return composePrice(mode, mode === "image_generation" || mode === "audio_speech" ? byUnit(prices) : known(prices));
}

const noImagePrices: ReadonlyMap<string, Price> = new Map();

/** Returns the prices per image by quality and size, such as `high/1024x1024`; empty if the model has none. */
export function imagePricesOf({ prices }: Pick<Model, "prices">): ReadonlyMap<string, Price> {
  if (prices.imageSizes === undefined) return noImagePrices;
  return new Map(
    Object.entries(prices.imageSizes).flatMap(([size, perImage]) => {
      const price = priceOfModel({ mode: "image_generation", prices: { ...prices, outputPerImage: perImage } });
      return price === null ? [] : [[size, price]];
    }),
  );
}

/**
 * Keeps one price per unit. Sources list images and seconds both per unit and in output tokens, but each image or
 * second is billed only once.
 */
function byUnit(prices: Prices<bigint>): KnownPrices {
  const all = known(prices);
  if (all.perImage === null && all.perSecond === null) return all;
  return { ...all, output: 0n, reasoning: null, audioOutput: null };
}

/** Units that the catalog has no prices for. */
const unknownPrices: OptionalPrices = mapPrices(() => null);

function known(prices: Prices<bigint>): KnownPrices {
  return {
    ...unknownPrices,
    input: prices.input ?? null,
    output: prices.output ?? null,
    cacheRead: prices.cacheRead ?? null,
    cacheWrite: prices.cacheWrite ?? null,
    reasoning: prices.outputReasoning ?? null,
    audioInput: prices.inputAudio ?? null,
    audioOutput: prices.outputAudio ?? null,
    perCharacter: prices.inputPerCharacter ?? null,
    perSecond: prices.inputPerSecond ?? prices.outputPerSecond ?? null,
    // One source lists the price of a generated image as an input price.
    perImage: prices.outputPerImage ?? (prices.output === undefined ? prices.inputPerImage : null) ?? null,
    // Drop a zero price per search, because it would make missing token prices count as zero.
    perSearch: (prices.perQuery ?? 0n) > 0n ? (prices.perQuery ?? null) : null,
    tier: tierOf(prices),
  };
}

function tierOf({ tiers }: Prices<bigint>): PriceTier | null {
  const [tier] = tiers ?? [];
  if (tier === undefined) return null;
  const { input, output, cacheRead, cacheWrite } = tier.prices;
  return {
    aboveInputTokens: tier.aboveInputTokens,
    input: input ?? null,
    output: output ?? null,
    cacheRead: cacheRead ?? null,
    cacheWrite: cacheWrite ?? null,
  };
}
