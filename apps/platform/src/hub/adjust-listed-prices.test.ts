import { expect, test } from "vitest";
import { adjustListedPrices } from "./adjust-listed-prices.ts";

const price = {
  inputPerMillionTokens: 2_500_000_000n,
  outputPerMillionTokens: 10_000_000_000n,
  cachedInputPerMillionTokens: null,
  perImage: null,
  perAudioSecond: 101n,
  perMillionCharacters: null,
  perRequest: 0n,
};

test("shows the prices that an organization pays", () => {
  expect(adjustListedPrices(price, { shareMillionths: -100_000n, fixedNanoUsd: 7n })).toEqual({
    ...price,
    inputPerMillionTokens: 2_250_000_000n,
    outputPerMillionTokens: 9_000_000_000n,
    perAudioSecond: 91n,
    perRequest: 7n,
  });
  expect(adjustListedPrices(null, { shareMillionths: 1n, fixedNanoUsd: 0n })).toBeNull();
});

test("shows fixed prices in place of the standard ones", () => {
  const fixed = { prices: { input: 2_000_000n, perRequest: 9_000n }, rules: [] };
  expect(adjustListedPrices({ ...price, cachedInputPerMillionTokens: 5n }, fixed)).toEqual({
    ...price,
    inputPerMillionTokens: 2_000_000_000n,
    cachedInputPerMillionTokens: null,
    perRequest: 9n,
  });
});

test("shows a fixed price per search where the price per search is shown", () => {
  const listed = { ...price, perRequest: 2_000_000n };
  expect(adjustListedPrices(listed, { prices: { perSearch: 1_000_000_000n }, rules: [] })).toEqual({
    ...price,
    perRequest: 1_000_000n,
  });
  const both = { prices: { perSearch: 1_000_000_000n, perRequest: 9_000n }, rules: [] };
  expect(adjustListedPrices(listed, both)).toEqual({ ...price, perRequest: 9n });
});
