import {
  type BillingUnit,
  billingUnits,
  countedUnits,
  type PriceSetting,
  tokenUnits,
} from "@tollgate/domain/pricing/billing-units.ts";
import { Type } from "typebox";
import { choice, count, list, optional, price, text } from "./fields.ts";

type PriceField = ReturnType<typeof price>;

/** Returns the price settings of these units. */
function priceSettings<Unit extends BillingUnit>(units: readonly Unit[]): Record<PriceSetting<Unit>, PriceField> {
  const settings = units.flatMap((unit) => Object.entries(unit.settings));
  return Object.fromEntries(settings.map(([name, description]) => [name, price(description)])) as Record<
    PriceSetting<Unit>,
    PriceField
  >;
}

/** Token prices that can depend on the size of the prompt and on the service tier, with their descriptions. */
const variedTokens = {
  input_cost_per_token: "Price per input token",
  output_cost_per_token: "Price per output token",
  cache_read_input_token_cost: "Price per cached input token",
  cache_creation_input_token_cost: "Price per cache write token",
  cache_creation_input_token_cost_above_1hr: "Price per one-hour cache write token",
} as const;
type VariedToken = keyof typeof variedTokens;

/** Prompt sizes in the names of settings, in tokens. */
export const promptSizes = {
  "128k": 128_000,
  "200k": 200_000,
  "256k": 256_000,
  "272k": 272_000,
  "512k": 512_000,
} as const;
type PromptSize = keyof typeof promptSizes;

/** Service tiers by their suffix in the names of settings. */
export const tierSuffixes = { flex: "flex", priority: "priority", batches: "batch" } as const;
type TierSuffix = keyof typeof tierSuffixes;

export type SizedSetting = `${VariedToken}_above_${PromptSize}_tokens`;
type TieredSetting = `${VariedToken}_${TierSuffix}`;
type SizedTieredSetting = `${SizedSetting}_${TierSuffix}`;

const tokens = Object.entries(variedTokens);
const sizes = Object.entries(promptSizes);
const suffixes = Object.entries(tierSuffixes);
const inTokens = new Intl.NumberFormat("en-US");

const sized = tokens.flatMap(([name, description]) =>
  sizes.map(([size, above]) => [
    `${name}_above_${size}_tokens`,
    `${description} for prompts above ${inTokens.format(above)} tokens`,
  ]),
);

const inTier = (settings: readonly (readonly string[])[]) =>
  settings.flatMap(([name, description]) =>
    suffixes.map(([suffix, tier]) => [`${name}_${suffix}`, `${description}, in the service tier ${tier}`]),
  );

const varied = Object.fromEntries(
  [...sized, ...inTier(tokens), ...inTier(sized)].map(([name, description]) => [name, price(description as string)]),
) as Record<SizedSetting | TieredSetting | SizedTieredSetting, PriceField>;

const Hours = Type.Object(
  {
    name: text("Name of the hours in cost breakdowns, such as peak hours"),
    time_zone: text("The provider's time zone, such as Asia/Shanghai", "UTC"),
    days: list("Days of the week on which the hours begin, from 1 (Monday) to 7; empty for every day", count("A day")),
    from: text("Start, as HH:MM"),
    to: text("End, as HH:MM; if it is not after the start, the hours end on the next day"),
  },
  { description: "Hours during which the prices apply. The time at which the response ends counts" },
);

/** One price per billing unit, without conditions. */
export const unitPriceFields = priceSettings(billingUnits);

const { input_cost_per_token, output_cost_per_token, ...otherTokens } = priceSettings(tokenUnits);

/** A price for requests that meet all listed conditions. */
const PriceRuleFields = Type.Object(
  {
    service_tier: optional(text("Service tier that the response names, such as priority or flex")),
    search_context: optional(
      choice("Size of a search's context, or preview for the tool web_search_preview", [
        "low",
        "medium",
        "high",
        "preview",
      ]),
    ),
    region: optional(text("Region that the response names")),
    above_input_tokens: optional(count("The prompt, including cached tokens, has more tokens than this")),
    hours: optional(Hours),
    ...unitPriceFields,
  },
  { description: "Conditions, and the prices that apply if all of them are met" },
);

export const priceFields = {
  input_cost_per_token,
  output_cost_per_token,
  ...otherTokens,
  ...varied,
  ...priceSettings(countedUnits),
  search_context_cost_per_query: optional(
    Type.Object(
      {
        search_context_size_low: price("Price per web search with little context"),
        search_context_size_medium: price("Price per web search with the default context"),
        search_context_size_high: price("Price per web search with much context"),
      },
      { description: "Prices per web search by the size of its context" },
    ),
  ),
  input_cost_per_pixel: price("Price per pixel (for display only)"),
} as const;

export const priceRules = list(
  "Prices that apply under conditions, such as a service tier or hours. A later rule takes precedence",
  PriceRuleFields,
);
