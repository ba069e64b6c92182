import { invalidField } from "@tollgate/contracts/management/failure.ts";
import type { PricingInput } from "@tollgate/contracts/management/model.ts";
import type { ModelType } from "@tollgate/db/catalog/models.ts";
import { formatUsd, PICO_PER_NANO } from "@tollgate/domain/money.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NANO_PER_MILLION_PER_PICO, tokenPartOf } from "../../catalog/describe-prices.ts";

/** Prices of a model. `price` is in pico-USD; the other prices are in nano-USD, as entered. */
export interface ModelPrices {
  readonly price: Price | null;
  readonly perImage: bigint | null;
  readonly perAudioSecond: bigint | null;
  readonly perMillionCharacters: bigint | null;
}

/** Maximum price: one USD per token. A higher price is assumed to be a typo and could overflow ledger totals. */
const MAX_PRICE = 1_000_000_000_000_000n;

/** Model types that each billing unit other than tokens applies to. Prices for any other type are rejected. */
const typesByUnit: Readonly<Record<keyof Omit<ModelPrices, "price">, readonly ModelType[]>> = {
  perImage: ["image"],
  perAudioSecond: ["transcription", "speech"],
  perMillionCharacters: ["speech"],
};

const unitNames = Object.keys(typesByUnit) as (keyof typeof typesByUnit)[];

/** Model types whose responses have no billable output tokens. */
const typesWithoutOutput: ReadonlySet<ModelType> = new Set(["embedding", "moderation", "rerank"]);

/** Returns the prices after a change. Fields not in the input stay unchanged. */
export function readPricing(input: PricingInput, type: ModelType, current: ModelPrices): ModelPrices {
  for (const [name, amount] of Object.entries(input)) checkAmount(name, amount);
  if ((input.perRequest ?? 0n) !== 0n) {
    throw invalidField("pricing.perRequest", "must be 0 because requests are billed by usage");
  }
  const units = readUnitPrices(input, type, current);
  // The price for the old type's unit may have covered the output, so the new type's tokens need an explicit price.
  const losesUnit = unitNames.some((name) => current[name] !== null && !typesByUnit[name].includes(type));
  const tokens = readTokenPrice(input, type, losesUnit ? null : tokenPartOf(current.price));
  return { price: joinPrices(tokens, units, current), ...units };
}

function joinPrices(tokens: Price | null, units: Omit<ModelPrices, "price">, current: ModelPrices): Price | null {
  // An unchanged unit keeps its exact price in pico-USD, which may be more precise than the displayed price.
  const unit = (name: keyof typeof units, kept: bigint | null | undefined, entered: (nano: bigint) => bigint) => {
    const nano = units[name];
    if (nano === null) return null;
    return nano === current[name] && kept != null ? kept : entered(nano);
  };
  const perImage = unit("perImage", current.price?.perImage, (nano) => nano * PICO_PER_NANO);
  const perSecond = unit("perAudioSecond", current.price?.perSecond, (nano) => nano * PICO_PER_NANO);
  const perCharacter = unit(
    "perMillionCharacters",
    current.price?.perCharacter,
    (nano) => nano / NANO_PER_MILLION_PER_PICO,
  );
  if (tokens === null && perImage === null && perSecond === null && perCharacter === null) return null;
  return tokenPrice(tokens?.input ?? 0n, tokens?.output ?? 0n, { ...tokens, perCharacter, perSecond, perImage });
}

function checkAmount(name: string, amount: bigint | null): void {
  const field = `pricing.${name}`;
  if (amount === null) return;
  if (amount < 0n) throw invalidField(field, "must not be negative");
  if (amount > MAX_PRICE) throw invalidField(field, `must be at most ${MAX_PRICE} (${formatUsd(MAX_PRICE)} USD)`);
  if (/PerMillion|perMillion/.test(name) && amount % NANO_PER_MILLION_PER_PICO !== 0n) {
    const unit = name === "perMillionCharacters" ? "character" : "token";
    throw invalidField(field, `must be a multiple of 1000 nano-USD (1 pico-USD per ${unit})`);
  }
}

function readTokenPrice(input: PricingInput, type: ModelType, current: Price | null): Price | null {
  const { inputPerMillionTokens, outputPerMillionTokens, cachedInputPerMillionTokens } = input;
  const next = {
    input: choose(inputPerMillionTokens, current?.input ?? null),
    output: choose(outputPerMillionTokens, current?.output ?? null),
    cacheRead: choose(cachedInputPerMillionTokens, current?.cacheRead ?? null),
  };
  if (next.input === null && next.output === null && next.cacheRead === null) return null;
  const output = next.output ?? (typesWithoutOutput.has(type) ? 0n : null);
  if (next.input === null || output === null) {
    throw invalidField("pricing", "requires both inputPerMillionTokens and outputPerMillionTokens");
  }
  // If a price that this API exposes changes, drop the price components that it doesn't expose.
  const isChanged = inputPerMillionTokens !== undefined || outputPerMillionTokens !== undefined;
  return tokenPrice(next.input, output, { ...(isChanged ? null : current), cacheRead: next.cacheRead });
}

function choose(nano: bigint | null | undefined, current: bigint | null): bigint | null {
  if (nano === undefined) return current;
  return nano === null ? null : nano / NANO_PER_MILLION_PER_PICO;
}

function readUnitPrices(input: PricingInput, type: ModelType, current: ModelPrices): Omit<ModelPrices, "price"> {
  const read = (name: keyof typeof typesByUnit): bigint | null => {
    const amount = input[name] === undefined ? current[name] : input[name];
    if (amount === null || typesByUnit[name].includes(type)) return amount;
    if (input[name] === undefined) return null; // The price is left over from the model's previous type.
    throw invalidField(
      `pricing.${name}`,
      `applies only to models of type ${typesByUnit[name].join(" or ")}, but this model is of type ${type}`,
    );
  };
  return {
    perImage: read("perImage"),
    perAudioSecond: read("perAudioSecond"),
    perMillionCharacters: read("perMillionCharacters"),
  };
}
