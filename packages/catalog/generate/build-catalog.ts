import type { CatalogSource, FreeReason, ModelRecord, Review } from "../src/model.ts";
import { findSecondPrices } from "./find-second-prices.ts";
import { toJsonInteger, writePrices } from "./flat-prices.ts";
import { type GatheredModel, gatherModels } from "./gather-models.ts";
import { readFacts } from "./read-facts.ts";
import { readPriceList } from "./read-price-list.ts";
import { settleHours, settlePrices } from "./settle-prices.ts";
import { simulatedModels } from "./simulated-models.ts";

export interface Edition {
  readonly version: string;
  /** Time at which the prices apply. The time of day is fixed at noon, because some prices differ by the hour. */
  readonly pricesAt: Date;
  /** The two sources of the facts, by ID. Facts come from the first one unless a model names another. */
  readonly sources: Readonly<Record<string, CatalogSource>>;
}

/**
 * Builds the catalog text. The text has one model per line, sorted by ID. The same model data and edition always
 * produce the same bytes.
 */
export function buildCatalog(facts: string, priceList: string, edition: Edition): string {
  const read = readFacts(facts, readPriceList(priceList));
  const listed = gatherModels(read).map((model) => buildRecord(model, edition));
  const records = [...listed, ...simulatedModels].sort((left, right) => (left.id < right.id ? -1 : 1));
  return [
    `{"version":${JSON.stringify(edition.version)},`,
    `"pricesAsOf":"${edition.pricesAt.toISOString().slice(0, 10)}",`,
    `"sources":${JSON.stringify(edition.sources)},`,
    '"models":[',
    records.map((record) => JSON.stringify(record)).join(",\n"),
    "]}\n",
  ].join("\n");
}

function buildRecord(model: GatheredModel, { pricesAt, sources }: Edition): ModelRecord {
  const facts = {
    id: `${model.provider}/${model.model}`,
    mode: model.mode,
    ...(model.maxInputTokens !== undefined && { maxInputTokens: model.maxInputTokens }),
    ...(model.maxOutputTokens !== undefined && { maxOutputTokens: model.maxOutputTokens }),
    ...(model.supports.length > 0 && { supports: model.supports }),
    ...(model.deprecatedOn !== undefined && { deprecatedOn: model.deprecatedOn }),
  };
  const free = findFreeReason(model);
  if (free) return { ...facts, free, prices: { input: 0, output: 0 } };

  const second = findSecondPrices(model.provider, model.model, pricesAt);
  const { first, hours } = settleHours(model.prices, second);
  const settled = settlePrices(model.mode, first, second.prices);
  const prices = writePrices(settled.prices, model.imageSizes, [...model.rules, ...hours]);
  const review = [...model.review, ...settled.review].map(writeReview);
  const [, secondSource = "second"] = Object.keys(sources);
  const fromSecond = hours.length > 0 ? [...second.prices.keys(), "hours"] : settled.fromSecond;
  return {
    ...facts,
    ...(prices && { prices }),
    ...(fromSecond.length > 0 && { sources: Object.fromEntries(fromSecond.map((field) => [field, secondSource])) }),
    ...(review.length > 0 && { review }),
  };
}

/**
 * Returns the reason why a price is intentionally zero: the model is self-hosted, or it is a moderation model that its
 * provider doesn't charge for.
 */
function findFreeReason({ provider, model, mode, prices }: GatheredModel): FreeReason | undefined {
  const isZero = prices.size > 0 && [...prices.values()].every((amount) => amount === 0n);
  if (!isZero) return undefined;
  if (provider === "ollama" && !model.endsWith("-cloud")) return "self-hosted";
  if (provider === "openai" && mode === "moderation") return "moderation";
  return undefined;
}

function writeReview({ field, first, second }: Review<bigint>): Review<number> {
  return {
    field,
    first: first === null ? null : toJsonInteger(first),
    second: second === null ? null : toJsonInteger(second),
  };
}
