import { MAX_CATALOG_RULES } from "@tollgate/domain/pricing/rate-card.ts";
import {
  type CatalogFile,
  freeReasons,
  type ModelRecord,
  modes,
  type Prices,
  type PriceTable,
  type PriceTier,
  priceFields,
} from "./model.ts";

const fieldNames: ReadonlySet<string> = new Set(priceFields);
const modeNames: ReadonlySet<string> = new Set(modes);
const freeNames: ReadonlySet<string> = new Set(freeReasons);
const conditionNames: ReadonlySet<string> = new Set([
  "serviceTier",
  "searchContext",
  "region",
  "hours",
  "aboveInputTokens",
]);
const recordNames: ReadonlySet<string> = new Set([
  "id",
  "mode",
  "maxInputTokens",
  "maxOutputTokens",
  "supports",
  "deprecatedOn",
  "free",
  "prices",
  "sources",
  "review",
]);

const EDITION = /^\d{4}-\d{2}\.\d{1,4}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MODEL_ID = /^[a-z][a-z0-9_]*\/[^\s*?]*[^\s*?/]$/;
/** Maximum size of an edition. The built-in one has about 0.5 MB. */
export const MAX_EDITION_BYTES = 16 * 1024 * 1024;

/**
 * Returns the first reason why a text is not an edition that this version can use, or null. Names that this version
 * doesn't know are a reason, because a price that is read only in part is wrong.
 */
export function findCatalogProblem(text: string): string | null {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  if (!isObject(file)) return "it is not an object";
  const { version, pricesAsOf, sources = {}, models } = file as Partial<CatalogFile>;
  if (typeof version !== "string" || !EDITION.test(version)) return "'version' is not an edition such as 2026-11.1";
  if (!isDay(pricesAsOf)) return "'pricesAsOf' is not a date";
  if (!isObject(sources)) return "'sources' is not an object";
  for (const [id, source] of Object.entries(sources)) {
    if (!isObject(source) || typeof source.name !== "string" || !isDay(source.asOf))
      return `source '${id}' has no name or date`;
  }
  if (!Array.isArray(models) || models.length === 0) return "it has no models";
  return findModelsProblem(models, new Set(Object.keys(sources)));
}

function findModelsProblem(models: readonly unknown[], sources: ReadonlySet<string>): string | null {
  let last = "";
  for (const model of models) {
    if (!isObject(model) || typeof model.id !== "string" || !MODEL_ID.test(model.id))
      return "a model has an invalid ID";
    if (model.id <= last) return `'${model.id}' is listed twice or is not sorted`;
    last = model.id;
    const problem = findRecordProblem(model as Partial<ModelRecord>, sources);
    if (problem !== null) return `'${model.id}': ${problem}`;
  }
  return null;
}

function findRecordProblem(record: Partial<ModelRecord>, known: ReadonlySet<string>): string | null {
  const unknown = Object.keys(record).find((name) => !recordNames.has(name));
  if (unknown !== undefined) return `unknown field '${unknown}'`;
  const { mode, free, prices = {}, sources = {}, review = [], maxInputTokens, maxOutputTokens } = record;
  if (!modeNames.has(String(mode))) return `unknown mode '${mode}'`;
  if (free !== undefined && !freeNames.has(free)) return `unknown reason '${free}' for being free`;
  if (![maxInputTokens, maxOutputTokens].every((limit) => limit === undefined || isCount(limit)))
    return "a token limit is not a number of tokens";
  if (record.supports !== undefined && !isListOfTexts(record.supports)) return "'supports' is not a list of names";
  if (record.deprecatedOn !== undefined && !isDay(record.deprecatedOn)) return "'deprecatedOn' is not a date";
  const foreign = isObject(sources) ? Object.values(sources).find((id) => !known.has(String(id))) : "sources";
  if (foreign !== undefined) return `unknown source '${foreign}'`;
  if (!Array.isArray(review)) return "'review' is not a list";
  const isReview = (one: unknown) =>
    isObject(one) &&
    typeof one.field === "string" &&
    [one.first, one.second].every((amount) => amount === null || isAmount(amount));
  if (!review.every(isReview)) return "'review' has an invalid amount";
  if (!isObject(prices)) return "'prices' is not an object";
  return findPricesProblem(prices) ?? findZero(record);
}

function findPricesProblem({ tiers = [], imageSizes = {}, rules = [], ...table }: Prices<number>): string | null {
  if (!Array.isArray(tiers) || !isObject(imageSizes) || !Array.isArray(rules)) return "'prices' is malformed";
  if (Math.max(0, tiers.length - 1) + rules.length > MAX_CATALOG_RULES) return "it has too many rules";
  const sizes = Object.values(imageSizes).every(isAmount) ? null : "a price of an image size is not an amount";
  return (
    findTableProblem(table) ?? sizes ?? firstProblem(tiers, findTierProblem) ?? firstProblem(rules, findRuleProblem)
  );
}

function findTableProblem(table: unknown): string | null {
  if (!isObject(table)) return "'prices' is not an object";
  const unknown = Object.keys(table).find((field) => !fieldNames.has(field));
  if (unknown !== undefined) return `unknown price '${unknown}'`;
  const wrong = Object.entries(table).find(([, amount]) => !isAmount(amount));
  return wrong === undefined ? null : `price '${wrong[0]}' is not a whole number of pico-USD`;
}

function findTierProblem(tier: PriceTier<number>): string | null {
  if (!isObject(tier) || !isCount(tier.aboveInputTokens)) return "a tier has no number of tokens";
  return findTableProblem(tier.prices);
}

function findRuleProblem(rule: NonNullable<Prices<number>["rules"]>[number]): string | null {
  if (!isObject(rule) || !isObject(rule.when)) return "a rule has no condition";
  const unknown = Object.keys(rule.when).find((name) => !conditionNames.has(name));
  if (unknown !== undefined) return `unknown condition '${unknown}'`;
  // Without a condition, the rule's price would have the name of the base price.
  if (Object.keys(rule.when).length === 0) return "a rule has no condition";
  const { hours, aboveInputTokens = 1, ...names } = rule.when;
  if (hours !== undefined && !areHours(hours)) return "a condition has invalid hours";
  if (!isCount(aboveInputTokens)) return "a condition has no number of tokens";
  if (!Object.values(names).every(isName)) return "a condition is not a name";
  return findTableProblem(rule.prices) ?? (rule.tier === undefined ? null : findTierProblem(rule.tier));
}

function areHours(hours: unknown): boolean {
  if (!isObject(hours) || typeof hours.name !== "string" || !Array.isArray(hours.days)) return false;
  const { timeZone, days, fromMinute, toMinute } = hours;
  const isWithin = (value: unknown, least: number, most: number) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  if (!isWithin(fromMinute, 0, 1_440) || !isWithin(toMinute, 0, 1_440)) return false;
  if (!(days as readonly unknown[]).every((day) => isWithin(day, 1, 7))) return false;
  try {
    // Throws for an unknown time zone, which would otherwise fail requests.
    return typeof timeZone === "string" && new Intl.DateTimeFormat("en-US", { timeZone }) !== null;
  } catch {
    return false;
  }
}

/** A zero means an unknown price in many lists, so it needs a reason or a mode that doesn't bill the unit. */
function findZero({ mode, free, prices = {} }: Partial<ModelRecord>): string | null {
  const { input, output, perQuery } = prices as PriceTable<number>;
  if (free !== undefined) return null;
  if (input === 0 && !perQuery) return "input is free without a reason";
  if (output === 0 && mode !== "embedding" && mode !== "rerank") return "output is free without a reason";
  return null;
}

function firstProblem<Item>(items: readonly Item[], find: (item: Item) => string | null): string | null {
  for (const item of items) {
    const problem = find(item);
    if (problem !== null) return problem;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

const isName = (value: unknown): boolean => typeof value === "string" && value !== "";
const isAmount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
const isDay = (value: unknown): boolean =>
  typeof value === "string" && DAY.test(value) && !Number.isNaN(Date.parse(value));
