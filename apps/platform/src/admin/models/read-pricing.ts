import { invalidField } from "@tollgate/contracts/management/failure.ts";
import type { PricingInput } from "@tollgate/contracts/management/model.ts";
import type { ModelType } from "@tollgate/db/catalogue/models.ts";
import { formatUsd } from "@tollgate/domain/money.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { NANO_PER_MILLION_PER_PICO } from "../../catalogue/describe-model.ts";

/** What a model costs: its tokens in pico-USD each, its other units in nano-USD. */
export interface ModelPrices {
  readonly price: Price | null;
  readonly perImage: bigint | null;
  readonly perAudioSecond: bigint | null;
  readonly perMillionCharacters: bigint | null;
}

/** One USD a token. More is a slip of the keyboard, and sums of it would not fit the books. */
const MAX_PRICE = 1_000_000_000_000_000n;

/** Which types are charged by something other than tokens. What would be charged nobody is refused, not kept. */
const unitsOfTypes = { perImage: "image", perAudioSecond: "transcription", perMillionCharacters: "speech" } as const;

/** The prices of a model after a change. What the change does not name stays. */
export function readPricing(input: PricingInput, type: ModelType, current: ModelPrices): ModelPrices {
  for (const [name, amount] of Object.entries(input)) checkAmount(name, amount);
  if ((input.perRequest ?? 0n) !== 0n) {
    throw invalidField("pricing.perRequest", "must be 0: calls are charged by what they use");
  }
  return { price: readTokenPrice(input, current.price), ...readUnitPrices(input, type, current) };
}

function checkAmount(name: string, amount: bigint | null): void {
  const field = `pricing.${name}`;
  if (amount === null) return;
  if (amount < 0n) throw invalidField(field, "must not be negative");
  if (amount > MAX_PRICE) throw invalidField(field, `must be at most ${MAX_PRICE} (${formatUsd(MAX_PRICE)} USD)`);
  if (name.endsWith("PerMillionTokens") && amount % NANO_PER_MILLION_PER_PICO !== 0n) {
    throw invalidField(field, "must be a multiple of 1000 nano-USD: that is one pico-USD per token");
  }
}

function readTokenPrice(input: PricingInput, current: Price | null): Price | null {
  const { inputPerMillionTokens, outputPerMillionTokens, cachedInputPerMillionTokens } = input;
  const next = {
    input: choose(inputPerMillionTokens, current?.input ?? null),
    output: choose(outputPerMillionTokens, current?.output ?? null),
    cacheRead: choose(cachedInputPerMillionTokens, current?.cacheRead ?? null),
  };
  if (next.input === null && next.output === null && next.cacheRead === null) return null;
  if (next.input === null || next.output === null) {
    throw invalidField("pricing", "needs inputPerMillionTokens and outputPerMillionTokens: half a price is none");
  }
  // Prices that this interface does not show must not outlive those it was asked to change.
  const isChanged = inputPerMillionTokens !== undefined || outputPerMillionTokens !== undefined;
  return {
    input: next.input,
    output: next.output,
    cacheRead: next.cacheRead,
    cacheWrite: isChanged ? null : (current?.cacheWrite ?? null),
    reasoning: isChanged ? null : (current?.reasoning ?? null),
  };
}

function choose(nano: bigint | null | undefined, current: bigint | null): bigint | null {
  if (nano === undefined) return current;
  return nano === null ? null : nano / NANO_PER_MILLION_PER_PICO;
}

function readUnitPrices(input: PricingInput, type: ModelType, current: ModelPrices): Omit<ModelPrices, "price"> {
  const read = (name: keyof typeof unitsOfTypes): bigint | null => {
    const amount = input[name] === undefined ? current[name] : input[name];
    if (amount === null || type === unitsOfTypes[name]) return amount;
    if (input[name] === undefined) return null; // of another type, which the model was before
    throw invalidField(`pricing.${name}`, `is for models of type ${unitsOfTypes[name]}, and this one is ${type}`);
  };
  return {
    perImage: read("perImage"),
    perAudioSecond: read("perAudioSecond"),
    perMillionCharacters: read("perMillionCharacters"),
  };
}
