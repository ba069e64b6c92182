import { mapPrices, type OptionalPrices } from "@tollgate/domain/pricing/billing-units.ts";
import { composePrice, type KnownPrices } from "@tollgate/domain/pricing/compose-price.ts";
import type { Price, PriceTier } from "@tollgate/domain/pricing/price-call.ts";
import type { PriceRule } from "@tollgate/domain/pricing/rate-card.ts";
import type { PriceTier as ListedTier, Model, Prices, PriceTable } from "./model.ts";

/** The prices of a model, and whether an operator has to confirm them first. */
type PricesOfModel = Pick<Model, "prices"> & Partial<Pick<Model, "isRefused">>;

/** Returns the price of a model, or null if the catalog lacks data or an operator has to confirm the price. */
export function priceOfModel({ mode, prices, isRefused }: PricesOfModel & Pick<Model, "mode">): Price | null {
  if (isRefused === true) return null;
  // Per-query prices are supported only for reranking, so other models' queries would be free.
  if ((prices.perQuery ?? 0n) > 0n && mode !== "rerank") return null;
  return composePrice(mode, mode === "image_generation" || mode === "audio_speech" ? byUnit(prices) : known(prices));
}

/** Returns the prices that apply under conditions. The price itself has the first tier for long prompts. */
export function priceRulesOf({
  id,
  prices,
  isRefused,
}: PricesOfModel & Partial<Pick<Model, "id">>): readonly PriceRule[] {
  if (isRefused === true) return [];
  const hasReasoning = prices.outputReasoning !== undefined && prices.outputReasoning !== prices.output;
  const partOf = (own: PriceTable<bigint>) => listedPrices(own, hasReasoning);
  const larger = (prices.tiers ?? []).slice(1).map(
    ({ aboveInputTokens, prices: own }): PriceRule => ({
      when: { aboveInputTokens },
      prices: partOf(own),
      tier: null,
    }),
  );
  const rules = (prices.rules ?? []).map(
    ({ when, prices: own, tier }): PriceRule => ({
      when,
      prices: partOf(own),
      ...(tier !== undefined && { tier: toTier(tier) }),
    }),
  );
  return [...larger, ...rules, ...previewRulesOf(id ?? "", prices)];
}

/** Models that don't reason, for which OpenAI bills a search of its earlier tool, `web_search_preview`, at another price. */
const billedForPreview = /^(?:openai|azure)\/gpt-4(?:o|\.1)/;
/** From https://platform.openai.com/docs/pricing: 25 USD per 1,000 searches. The sources list one price for both tools. */
const PREVIEW_SEARCH_PICO = 25_000_000_000n;

function previewRulesOf(id: string, { perWebSearch }: PriceTable<bigint>): readonly PriceRule[] {
  const isCheaper = perWebSearch !== undefined && perWebSearch < PREVIEW_SEARCH_PICO;
  if (!isCheaper || !billedForPreview.test(id)) return [];
  return [{ when: { searchContext: "preview" }, prices: { perWebSearch: PREVIEW_SEARCH_PICO } }];
}

/**
 * Returns only the listed prices. If reasoning costs as much as other output in the base price and in the rule, it has
 * no price of its own, so that it also follows the output price of a later rule.
 */
function listedPrices(prices: PriceTable<bigint>, hasReasoning: boolean): PriceRule["prices"] {
  const isSame = !hasReasoning && prices.outputReasoning === prices.output;
  const listed = Object.entries(tableOf(prices)).filter(
    ([name, amount]) => amount !== null && !(isSame && name === "reasoning"),
  );
  return Object.fromEntries(listed) as PriceRule["prices"];
}

const noImagePrices: ReadonlyMap<string, Price> = new Map();

/**
 * Returns the prices per image by quality and size, such as `high/1024x1024`; empty if the model has none. If a model
 * also has a price per output token, its provider bills tokens, and the prices per image are only estimates for the
 * qualities and sizes that the source lists.
 */
export function imagePricesOf({ prices, isRefused }: PricesOfModel): ReadonlyMap<string, Price> {
  if (prices.imageSizes === undefined || prices.output !== undefined || isRefused === true) return noImagePrices;
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
  const [tier] = prices.tiers ?? [];
  return { ...tableOf(prices), tier: tier === undefined ? null : toTier(tier) };
}

function tableOf(prices: PriceTable<bigint>): OptionalPrices {
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
    longCacheWrite: prices.longCacheWrite ?? null,
    perRequest: prices.perRequest ?? null,
    perWebSearch: prices.perWebSearch ?? null,
    perFileSearch: prices.perFileSearch ?? null,
    perCodeSession: prices.perCodeSession ?? null,
    perToolCall: prices.perToolCall ?? null,
  };
}

function toTier({ aboveInputTokens, prices }: ListedTier<bigint>): PriceTier {
  const { input, output, cacheRead, cacheWrite, longCacheWrite } = prices;
  return {
    aboveInputTokens,
    input: input ?? null,
    output: output ?? null,
    cacheRead: cacheRead ?? null,
    cacheWrite: cacheWrite ?? null,
    ...(longCacheWrite !== undefined && { longCacheWrite }),
  };
}
