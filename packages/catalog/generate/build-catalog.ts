import type { FreeReason, ModelRecord, Review } from "../src/model.ts";
import { findSecondPrices } from "./find-second-prices.ts";
import { toJsonInteger, writePrices } from "./flat-prices.ts";
import { type GatheredModel, gatherModels } from "./gather-models.ts";
import { readFacts } from "./read-facts.ts";
import { settlePrices } from "./settle-prices.ts";
import { simulatedModels } from "./simulated-models.ts";

export interface Edition {
  readonly version: string;
  /** Time at which the prices apply. The time of day is fixed at noon, because some prices differ by the hour. */
  readonly pricesAt: Date;
}

/**
 * Builds the catalog text. The text has one model per line, sorted by ID. The same model data and edition always
 * produce the same bytes.
 */
export function buildCatalog(facts: string, edition: Edition): string {
  const listed = gatherModels(readFacts(facts)).map((model) => buildRecord(model, edition.pricesAt));
  const records = [...listed, ...simulatedModels].sort((left, right) => (left.id < right.id ? -1 : 1));
  return [
    `{"version":${JSON.stringify(edition.version)},`,
    `"pricesAsOf":"${edition.pricesAt.toISOString().slice(0, 10)}",`,
    '"models":[',
    records.map((record) => JSON.stringify(record)).join(",\n"),
    "]}\n",
  ].join("\n");
}

function buildRecord(model: GatheredModel, pricesAt: Date): ModelRecord {
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
  const settled = settlePrices(model.mode, model.prices, second);
  const prices = writePrices(settled.prices, model.imageSizes);
  const review = [...model.review, ...settled.review].map(writeReview);
  return { ...facts, ...(prices && { prices }), ...(review.length > 0 && { review }) };
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
