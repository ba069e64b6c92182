import { isTimeZone } from "../local-time.ts";
import { PICO_PER_NANO } from "../money.ts";
import type { OptionalPrices } from "./billing-units.ts";
import type { FixedPrice } from "./fix-price.ts";
import { combineHours, MAX_HOUR_COMBINATIONS, type PriceHours } from "./price-hours.ts";
import { MAX_PRICE_RULES, type PriceCondition, type PriceRule } from "./rate-card.ts";

/** Hours of a stored rule, with times as HH:MM. */
interface StoredHours {
  readonly name: string;
  readonly timeZone?: string;
  readonly days?: readonly number[];
  readonly from: string;
  readonly to: string;
}

/** Prices in nano-USD, as the management API has them. */
interface StoredPrices {
  readonly inputPerMillionTokens?: number;
  readonly outputPerMillionTokens?: number;
  readonly cachedInputPerMillionTokens?: number;
  readonly cacheWritePerMillionTokens?: number;
  readonly oneHourCacheWritePerMillionTokens?: number;
  readonly reasoningPerMillionTokens?: number;
  readonly audioInputPerMillionTokens?: number;
  readonly audioOutputPerMillionTokens?: number;
  readonly perMillionCharacters?: number;
  readonly perAudioSecond?: number;
  readonly perImage?: number;
  readonly perSearch?: number;
  readonly perRequest?: number;
  readonly perWebSearch?: number;
  readonly perFileSearch?: number;
  readonly perCodeSession?: number;
  readonly perToolCall?: number;
}

/** A price rule of a model that is managed in the console, or of an organization's fixed price. */
export interface StoredPriceRule extends Omit<PriceCondition, "hours">, StoredPrices {
  readonly hours?: StoredHours;
}

/** An organization's fixed price for a model. */
export interface StoredFixedPrice extends StoredPrices {
  readonly rules?: readonly StoredPriceRule[];
}

type PerMillionName = Extract<keyof StoredPrices, `${string}Million${string}`>;
type PerUnitName = Exclude<keyof StoredPrices, PerMillionName>;

const perMillion: Readonly<Record<PerMillionName, keyof OptionalPrices>> = {
  inputPerMillionTokens: "input",
  outputPerMillionTokens: "output",
  cachedInputPerMillionTokens: "cacheRead",
  cacheWritePerMillionTokens: "cacheWrite",
  oneHourCacheWritePerMillionTokens: "longCacheWrite",
  reasoningPerMillionTokens: "reasoning",
  audioInputPerMillionTokens: "audioInput",
  audioOutputPerMillionTokens: "audioOutput",
  perMillionCharacters: "perCharacter",
};
const perUnit: Readonly<Record<PerUnitName, keyof OptionalPrices>> = {
  perAudioSecond: "perSecond",
  perImage: "perImage",
  perSearch: "perSearch",
  perRequest: "perRequest",
  perWebSearch: "perWebSearch",
  perFileSearch: "perFileSearch",
  perCodeSession: "perCodeSession",
  perToolCall: "perToolCall",
};
const conditions = ["serviceTier", "searchContext", "region", "aboveInputTokens"] as const;

/** Nano-USD per million tokens in one pico-USD per token. */
const NANO_PER_MILLION_PER_PICO = 1_000n;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** A stored price rule that can't be used. */
export class InvalidPriceRule extends Error {
  /** Index of the rule and name of the field, such as `0.hours.timeZone`. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super(problem);
    this.field = field;
  }
}

/** Converts stored price rules. Throws `InvalidPriceRule` if a rule has no condition, no price, or an invalid value. */
export function readStoredPriceRules(stored: readonly StoredPriceRule[]): readonly PriceRule[] {
  if (stored.length > MAX_PRICE_RULES) throw new InvalidPriceRule("", `must have at most ${MAX_PRICE_RULES} rules`);
  const rules = stored.map((rule, index): PriceRule => {
    const when = readCondition(rule, index);
    const prices = readPrices(rule, `${index}.`);
    if (Object.keys(when).length === 0) throw new InvalidPriceRule(`${index}`, "must have a condition");
    if (Object.keys(prices).length === 0) throw new InvalidPriceRule(`${index}`, "must have a price");
    // The rule's own prices apply to prompts of this size, whatever the prices of other long prompts are.
    return { when, prices, ...(rule.aboveInputTokens !== undefined && { tier: null }) };
  });
  const hours = rules.flatMap(({ when }) => when.hours ?? []);
  if (combineHours(hours, MAX_HOUR_COMBINATIONS).length > MAX_HOUR_COMBINATIONS) {
    throw new InvalidPriceRule("", "must not have so many hours that overlap");
  }
  return rules;
}

/** Maximum number of rules of a fixed price, so that there is room for those of the standard price. */
const MAX_FIXED_RULES = 10;

/** Converts a stored fixed price. Throws `InvalidPriceRule` if it has no price or an invalid value. */
export function readFixedPrice({ rules = [], ...stored }: StoredFixedPrice): FixedPrice {
  if (rules.length > MAX_FIXED_RULES) throw new InvalidPriceRule("rules", `must have at most ${MAX_FIXED_RULES} rules`);
  const prices = readPrices(stored, "");
  if (Object.keys(prices).length === 0) throw new InvalidPriceRule("", "must have a price");
  return { prices, rules: readStoredPriceRules(rules) };
}

/** Converts a fixed price to the stored format. */
export function writeFixedPrice({ prices, rules }: FixedPrice): StoredFixedPrice {
  return { ...writePrices(prices), ...(rules.length > 0 && { rules: writeStoredPriceRules(rules) }) };
}

/**
 * Converts price rules to the stored format. Prices for long prompts under a condition become a rule of their own.
 */
export function writeStoredPriceRules(rules: readonly PriceRule[]): readonly StoredPriceRule[] {
  return rules.flatMap(({ when, prices, tier }): StoredPriceRule[] => {
    const { hours, ...others } = when;
    const condition = { ...others, ...(hours !== undefined && { hours: writeHours(hours) }) };
    const own = { ...condition, ...writePrices(prices) };
    if (tier == null) return [own];
    const { aboveInputTokens, ...long } = tier;
    return [own, { ...condition, aboveInputTokens, ...writePrices(long) }];
  });
}

function writeHours({ name, timeZone, days, fromMinute, toMinute }: PriceHours): StoredHours {
  const timeOf = (minute: number): string => {
    const part = (value: number) => `${value}`.padStart(2, "0");
    return `${part(Math.floor(minute / 60))}:${part(minute % 60)}`;
  };
  return { name, timeZone, days, from: timeOf(fromMinute), to: timeOf(toMinute) };
}

function writePrices(prices: Partial<OptionalPrices>): StoredPrices {
  const millions = Object.entries(perMillion).map(([name, price]) => {
    const pico = prices[price];
    return [name, pico == null ? null : Number(pico * NANO_PER_MILLION_PER_PICO)] as const;
  });
  const units = Object.entries(perUnit).map(([name, price]) => {
    const pico = prices[price];
    return [name, pico == null ? null : Number(pico / PICO_PER_NANO)] as const;
  });
  return Object.fromEntries([...millions, ...units].filter(([, amount]) => amount !== null));
}

function readCondition(rule: StoredPriceRule, index: number): PriceCondition {
  const named = conditions.flatMap((name) => (rule[name] === undefined ? [] : [[name, rule[name]] as const]));
  return {
    ...Object.fromEntries(named),
    ...(rule.hours !== undefined && { hours: readHours(rule.hours, `${index}.hours`) }),
  };
}

function readHours({ name, timeZone = "UTC", days = [], from, to }: StoredHours, place: string): PriceHours {
  if (!isTimeZone(timeZone)) throw new InvalidPriceRule(`${place}.timeZone`, "must be a name such as Asia/Shanghai");
  if (!days.every((day) => Number.isInteger(day) && day >= 1 && day <= 7)) {
    throw new InvalidPriceRule(`${place}.days`, "must contain numbers from 1 (Monday) to 7");
  }
  const minuteOf = (time: string, field: string): number => {
    const [, hour, minute] = TIME.exec(time) ?? [];
    if (hour === undefined) throw new InvalidPriceRule(`${place}.${field}`, "must have the format HH:MM");
    return Number(hour) * 60 + Number(minute);
  };
  return { name, timeZone, days, fromMinute: minuteOf(from, "from"), toMinute: minuteOf(to, "to") };
}

function readPrices(stored: StoredPrices, place: string): Partial<OptionalPrices> {
  const prices: { -readonly [name in keyof OptionalPrices]?: bigint } = {};
  for (const [name, price] of Object.entries(perMillion) as [PerMillionName, keyof OptionalPrices][]) {
    const nano = stored[name];
    if (nano === undefined) continue;
    if (BigInt(nano) % NANO_PER_MILLION_PER_PICO !== 0n) {
      throw new InvalidPriceRule(`${place}${name}`, "must be a multiple of 1000 nano-USD (1 pico-USD per unit)");
    }
    prices[price] = BigInt(nano) / NANO_PER_MILLION_PER_PICO;
  }
  for (const [name, price] of Object.entries(perUnit) as [PerUnitName, keyof OptionalPrices][]) {
    const nano = stored[name];
    if (nano !== undefined) prices[price] = BigInt(nano) * PICO_PER_NANO;
  }
  return prices;
}
