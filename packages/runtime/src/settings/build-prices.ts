import { isTimeZone } from "@tollgate/domain/local-time.ts";
import {
  billingUnits,
  mapPrices,
  type OptionalPrices,
  type PriceSetting,
} from "@tollgate/domain/pricing/billing-units.ts";
import type { PriceTier } from "@tollgate/domain/pricing/price-call.ts";
import { combineHours, MAX_HOUR_COMBINATIONS, type PriceHours } from "@tollgate/domain/pricing/price-hours.ts";
import { MAX_PRICE_RULES, type PriceRule } from "@tollgate/domain/pricing/rate-card.ts";
import type { ModelEntry } from "./schema/model-list.ts";
import { promptSizes, type SizedSetting, tierSuffixes } from "./schema/price-fields.ts";
import type { DeploymentPrices } from "./settings.ts";
import type { SettingsReader } from "./settings-reader.ts";
import type { SourceMap } from "./source-tree.ts";

type WrittenParams = ModelEntry["litellm_params"];
type WrittenInfo = ModelEntry["model_info"];
type WrittenRule = WrittenParams["price_rules"][number];
type PriceName = Extract<keyof WrittenParams, keyof WrittenInfo & `${string}cost${string}`>;
type AmountName = Exclude<PriceName, "search_context_cost_per_query">;
type ReadPrice = (name: AmountName) => bigint | null;

/** The smallest prompt size with its own prices is part of the price. Larger ones are rules. */
const sizes = Object.entries(promptSizes) as [keyof typeof promptSizes, number][];

/** Returns the prices without conditions. `litellm_params` takes precedence over `model_info`. */
export function buildPrices(params: WrittenParams, info: WrittenInfo): DeploymentPrices {
  const price: ReadPrice = (name) => params[name] ?? info[name];
  const firstPrice = (names: readonly PriceSetting[]) => names.map(price).find((amount) => amount !== null) ?? null;
  const search = params.search_context_cost_per_query ?? info.search_context_cost_per_query;
  const prices = mapPrices(({ settings }) => firstPrice(Object.keys(settings) as PriceSetting[]));
  const [tier] = tiersOf(price, "");
  return {
    ...prices,
    perWebSearch: prices.perWebSearch ?? search?.search_context_size_medium ?? null,
    tier: tier ?? { aboveInputTokens: 0, ...noTierPrices },
  };
}

/** Returns the prices that apply under conditions: LiteLLM's fields first, and then `price_rules`. */
export function buildPriceRules(
  params: WrittenParams,
  info: WrittenInfo,
  source: SourceMap,
  reader: SettingsReader,
): readonly PriceRule[] {
  const price: ReadPrice = (name) => params[name] ?? info[name];
  const search = params.search_context_cost_per_query ?? info.search_context_cost_per_query;
  const contexts = [
    ["low", search?.search_context_size_low],
    ["high", search?.search_context_size_high],
  ] as const;
  const rules = [
    ...tiersOf(price, "").slice(1).map(ruleOfSize),
    ...Object.entries(tierSuffixes).flatMap(([suffix, tier]) => rulesOfTier(price, suffix as TierSuffix, tier)),
    ...contexts.flatMap(([searchContext, perWebSearch]) =>
      perWebSearch == null ? [] : [{ when: { searchContext }, prices: { perWebSearch } }],
    ),
    ...params.price_rules.map((rule) => readRule(rule, source, reader)),
  ];
  if (rules.length > MAX_PRICE_RULES) {
    reader.findings.refuse(source.place, `price_rules: a price can have at most ${MAX_PRICE_RULES} rules.`);
  }
  const hours = rules.flatMap(({ when }: PriceRule) => when.hours ?? []);
  if (combineHours(hours, MAX_HOUR_COMBINATIONS).length > MAX_HOUR_COMBINATIONS) {
    reader.findings.refuse(source.place, "price_rules: too many of the hours overlap.");
  }
  return rules;
}

type TierSuffix = keyof typeof tierSuffixes;
const noTierPrices = { input: null, output: null, cacheRead: null, cacheWrite: null, longCacheWrite: null };

/** Returns the prices of a service tier, with those for its long prompts. */
function rulesOfTier(price: ReadPrice, suffix: TierSuffix, serviceTier: string): readonly PriceRule[] {
  const prices = known({
    input: price(`input_cost_per_token_${suffix}`),
    output: price(`output_cost_per_token_${suffix}`),
    cacheRead: price(`cache_read_input_token_cost_${suffix}`),
    cacheWrite: price(`cache_creation_input_token_cost_${suffix}`),
    longCacheWrite: price(`cache_creation_input_token_cost_above_1hr_${suffix}`),
  });
  const [tier, ...larger] = tiersOf(price, `_${suffix}`);
  if (Object.keys(prices).length === 0 && tier === undefined) return [];
  return [
    { when: { serviceTier }, prices, ...(tier !== undefined && { tier }) },
    ...larger.map(ruleOfSize).map((rule) => ({ ...rule, when: { ...rule.when, serviceTier } })),
  ];
}

/** Returns the prices for long prompts, smallest prompt first. */
function tiersOf(price: ReadPrice, suffix: "" | `_${TierSuffix}`): readonly PriceTier[] {
  return sizes.flatMap(([size, aboveInputTokens]) => {
    const read = (name: string) => price(`${name}_above_${size}_tokens${suffix}` as SizedSetting);
    const tier = {
      input: read("input_cost_per_token"),
      output: read("output_cost_per_token"),
      cacheRead: read("cache_read_input_token_cost"),
      cacheWrite: read("cache_creation_input_token_cost"),
      longCacheWrite: read("cache_creation_input_token_cost_above_1hr"),
    };
    return Object.values(tier).every((amount) => amount === null) ? [] : [{ aboveInputTokens, ...tier }];
  });
}

function ruleOfSize({ aboveInputTokens, ...prices }: PriceTier): PriceRule {
  return { when: { aboveInputTokens }, prices: known(prices), tier: null };
}

function readRule(rule: WrittenRule, source: SourceMap, reader: SettingsReader): PriceRule {
  const prices = known(unitPricesOf(rule));
  const when = {
    ...(rule.service_tier !== null && { serviceTier: rule.service_tier }),
    ...(rule.search_context !== null && { searchContext: rule.search_context }),
    ...(rule.region !== null && { region: rule.region }),
    ...(rule.above_input_tokens !== null && { aboveInputTokens: rule.above_input_tokens }),
    ...(rule.hours !== null && { hours: readHours(rule.hours, source, reader) }),
  };
  if (Object.keys(when).length === 0) {
    reader.findings.refuse(source.place, "price_rules: a rule has no condition. Set its prices on the deployment.");
  }
  if (Object.keys(prices).length === 0) reader.findings.refuse(source.place, "price_rules: a rule has no price.");
  // The rule's own prices apply to prompts of this size, whatever the prices of other long prompts are.
  return { when, prices, ...(rule.above_input_tokens !== null && { tier: null }) };
}

/** Returns one price per unit. Some units have several settings, of which the first one that is set applies. */
export function unitPricesOf(written: { readonly [name in PriceSetting]: bigint | null }): OptionalPrices {
  return mapPrices(({ settings }) => {
    const names = Object.keys(settings) as PriceSetting[];
    return names.map((name) => written[name]).find((amount) => amount !== null) ?? null;
  });
}

function readHours(
  hours: NonNullable<WrittenRule["hours"]>,
  source: SourceMap,
  { findings }: SettingsReader,
): PriceHours {
  if (!isTimeZone(hours.time_zone)) {
    findings.refuse(
      source.place,
      `price_rules: '${hours.time_zone}' is not a time zone. Use a name such as Asia/Shanghai.`,
    );
  }
  const wrong = hours.days.find((day) => day < 1 || day > 7);
  if (wrong !== undefined) {
    findings.refuse(source.place, `price_rules: ${wrong} is not a day. Use numbers from 1 (Monday) to 7.`);
  }
  const minutes = (time: string): number => {
    const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
    if (hour === undefined)
      findings.refuse(source.place, `price_rules: '${time}' is not a time. Use the format HH:MM.`);
    return Number(hour ?? 0) * 60 + Number(minute ?? 0);
  };
  return {
    name: hours.name,
    timeZone: hours.time_zone,
    days: hours.days,
    fromMinute: minutes(hours.from),
    toMinute: minutes(hours.to),
  };
}

/** Returns only the known prices, because a rule keeps the others. */
function known(prices: { readonly [name in keyof OptionalPrices]?: bigint | null }): Partial<OptionalPrices> {
  const names = new Set<string>(billingUnits.map(({ price }) => price));
  const listed = Object.entries(prices).filter(([name, amount]) => names.has(name) && amount != null);
  return Object.fromEntries(listed) as Partial<OptionalPrices>;
}
