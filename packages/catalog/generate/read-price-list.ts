import { larger } from "@tollgate/domain/credit/amounts.ts";
import type { PriceCondition } from "@tollgate/domain/pricing/rate-card.ts";
import type { PriceField } from "../src/model.ts";
import { type FlatPrices, tierField } from "./flat-prices.ts";
import { scaleDecimal } from "./scale-decimal.ts";

/** The prices of one model in LiteLLM's price list. */
export interface ListedPrices {
  readonly prices: FlatPrices;
  readonly rules: readonly ListedRule[];
  /** Token limits; 0 if the list has none. */
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
}

/** Prices that apply under a condition, with those for long prompts. */
export interface ListedRule {
  readonly when: PriceCondition;
  readonly prices: FlatPrices;
}

/** Finds a model by its name in the list; undefined if the list doesn't have it. */
export type FindListedPrices = (name: string) => ListedPrices | undefined;

type Row = Readonly<Record<string, unknown>>;

/** Token prices by their name in the list. */
const tokenFields: readonly (readonly [PriceField, string])[] = [
  ["input", "input_cost_per_token"],
  ["output", "output_cost_per_token"],
  ["cacheRead", "cache_read_input_token_cost"],
  ["cacheWrite", "cache_creation_input_token_cost"],
  ["longCacheWrite", "cache_creation_input_token_cost_above_1hr"],
  ["outputReasoning", "output_cost_per_reasoning_token"],
  ["inputAudio", "input_cost_per_audio_token"],
  ["outputAudio", "output_cost_per_audio_token"],
];

/** Token prices that can differ for long prompts. */
const tieredFields: ReadonlySet<PriceField> = new Set(["input", "output", "cacheRead", "cacheWrite", "longCacheWrite"]);

/** Prompt sizes in the names of the list. */
const promptSizes = { "128k": 128_000, "200k": 200_000, "256k": 256_000, "272k": 272_000, "512k": 512_000 } as const;

/** Service tiers by their suffix in the names of the list. */
const tierSuffixes = { _flex: "flex", _priority: "priority", _batches: "batch" } as const;

const USD_TO_PICO_PLACES = 12;

/**
 * Reads LiteLLM's `model_prices_and_context_window.json`: token prices, prices for long prompts, fees, and the prices
 * that apply under conditions. A price of zero is unknown.
 */
export function readPriceList(text: string): FindListedPrices {
  const rows = JSON.parse(text) as Readonly<Record<string, Row>>;
  return (name) => {
    const row = rows[name];
    return row === undefined ? undefined : readRow(row, rows);
  };
}

function readRow(row: Row, rows: Readonly<Record<string, Row>>): ListedPrices {
  const tokens = new Map([...readTokens(row, ""), ...imageTokensOf(row)]);
  const search = searchPricesOf(row);
  const prices = new Map([...tokens, ...feesOf(row, rows)]);
  if (search.medium !== null) prices.set("perWebSearch", search.medium);
  const tiers = [...serviceTiersOf(row, tokens), ...fastTierOf(row, tokens)];
  return {
    prices,
    maxInputTokens: limitOf(row.max_input_tokens),
    maxOutputTokens: limitOf(row.max_output_tokens),
    rules: [
      ...tiers,
      ...(["low", "high"] as const).flatMap((searchContext): ListedRule[] => {
        const price = search[searchContext];
        return price === null || price === search.medium
          ? []
          : [{ when: { searchContext }, prices: new Map([["perWebSearch", price]]) }];
      }),
      ...regionsOf(row, tokens, tiers),
    ],
  };
}

/** Reads the token prices whose names have this suffix, with those for long prompts. */
function readTokens(row: Row, suffix: string): Map<string, bigint> {
  const prices = new Map<string, bigint>();
  for (const [field, name] of tokenFields) {
    const price = amountOf(row[name + suffix]);
    if (price === null) continue;
    prices.set(field, price);
    if (!tieredFields.has(field)) continue;
    for (const [size, aboveInputTokens] of Object.entries(promptSizes)) {
      const long = amountOf(row[`${name}_above_${size}_tokens${suffix}`]);
      if (long !== null) prices.set(tierField(field, aboveInputTokens), long);
    }
  }
  return prices;
}

/**
 * Returns the output prices of a model whose images are billed by token. Some of these models also write text while they
 * plan an image, at another price. The list has this price in the column for all output.
 */
function imageTokensOf(row: Row): readonly [PriceField, bigint][] {
  const image = amountOf(row.output_cost_per_image_token);
  if (row.mode !== "image_generation" || image === null || amountOf(row.output_cost_per_image) !== null) return [];
  const text = amountOf(row.output_cost_per_token);
  return [["output", image], ...(text === null ? [] : [["outputReasoning", text] as [PriceField, bigint]])];
}

/** Returns the service tiers with a price for input and for output. */
function serviceTiersOf(row: Row, base: FlatPrices): readonly ListedRule[] {
  return Object.entries(tierSuffixes).flatMap(([suffix, serviceTier]) => {
    const prices = readTokens(row, suffix);
    const input = prices.get("input");
    if (input === undefined || !prices.has("output")) return [];
    // If a higher tier has no price for cached tokens, the source doesn't say that they are cheaper.
    const isHigher = input > (base.get("input") ?? 0n);
    if (isHigher && base.has("cacheRead") && !prices.has("cacheRead")) prices.set("cacheRead", input);
    fillLongPrices(prices, base);
    return [{ when: { serviceTier }, prices }];
  });
}

/** Adds missing prices for long prompts, if the tier has any. They are at least those of the base price. */
function fillLongPrices(prices: Map<string, bigint>, base: FlatPrices): void {
  for (const [name, long] of base) {
    const [field = "", size] = name.split("Above");
    if (size === undefined || prices.has(name) || !prices.has(`inputAbove${size}`)) continue;
    prices.set(name, larger(prices.get(field) ?? 0n, long));
  }
}

interface Multipliers {
  readonly fast?: unknown;
  readonly us?: unknown;
}

/** Returns Anthropic's fast mode, whose multiplier applies to all tokens. */
function fastTierOf(row: Row, base: FlatPrices): readonly ListedRule[] {
  const factor = (row.provider_specific_entry as Multipliers | undefined)?.fast;
  return typeof factor !== "number" ? [] : [{ when: { serviceTier: "fast" }, prices: scale(base, factor) }];
}

/**
 * Returns the prices by region, alone and with each service tier. The response of Anthropic names the region. The
 * regions of OpenAI and Vertex AI follow from the URL or the location of the deployment.
 */
function regionsOf(row: Row, base: FlatPrices, tiers: readonly ListedRule[]): readonly ListedRule[] {
  const factors = {
    us: (row.provider_specific_entry as Multipliers | undefined)?.us ?? row.regional_processing_uplift_multiplier_us,
    eu: row.regional_processing_uplift_multiplier_eu,
    regional: row.regional_endpoint_uplift_multiplier,
  };
  return Object.entries(factors).flatMap(([region, factor]): readonly ListedRule[] => {
    if (typeof factor !== "number") return [];
    return [
      { when: { region }, prices: scale(base, factor) },
      ...tiers.map(({ when, prices }) => ({ when: { ...when, region }, prices: scale(prices, factor) })),
    ];
  });
}

/** Returns the fees in addition to tokens and searches. */
function feesOf(row: Row, rows: Readonly<Record<string, Row>>): readonly [PriceField, bigint][] {
  const isText = row.mode === "chat" || row.mode === "responses";
  // The list has the price of a code session in a row of its own for each provider.
  const session = isText
    ? amountOf(rows[`${String(row.litellm_provider)}/container`]?.code_interpreter_cost_per_session)
    : null;
  const request = amountOf(row.input_cost_per_request);
  return [
    ...(session === null ? [] : [["perCodeSession", session] as [PriceField, bigint]]),
    ...(request === null ? [] : [["perRequest", request] as [PriceField, bigint]]),
  ];
}

/** Providers that have models of others in the list, but don't run their web search. */
const withoutSearch: ReadonlySet<unknown> = new Set(["bedrock", "bedrock_converse"]);

type SearchPrices = { readonly [size in "low" | "medium" | "high"]: bigint | null };

function searchPricesOf(row: Row): SearchPrices {
  const listed = withoutSearch.has(row.litellm_provider) ? undefined : row.search_context_cost_per_query;
  const sizes = listed as Readonly<Record<string, unknown>> | undefined;
  const low = amountOf(sizes?.search_context_size_low);
  const high = amountOf(sizes?.search_context_size_high);
  return { low, medium: amountOf(sizes?.search_context_size_medium) ?? high ?? low, high };
}

function limitOf(limit: unknown): number {
  return Number.isSafeInteger(limit) ? (limit as number) : 0;
}

function amountOf(usd: unknown): bigint | null {
  if (typeof usd !== "number" || usd <= 0) return null;
  return scaleDecimal(String(usd), USD_TO_PICO_PLACES);
}

/** Multiplies prices by a factor with at most two decimal places, and rounds up. */
function scale(prices: FlatPrices, factor: number): FlatPrices {
  const hundredths = scaleDecimal(String(factor), 2);
  return new Map([...prices].map(([field, price]) => [field, (price * hundredths + 99n) / 100n]));
}
