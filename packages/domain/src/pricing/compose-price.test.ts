import { expect, test } from "vitest";
import { mapPrices } from "./billing-units.ts";
import { composePrice, type KnownPrices } from "./compose-price.ts";
import { tokenPrice } from "./token-price.ts";

const nothing: KnownPrices = { ...mapPrices(() => null), tier: null };

test.for([
  ["chat", { input: 1n, output: 2n }, tokenPrice(1n, 2n)],
  ["audio_transcription", { perSecond: 5n }, tokenPrice(0n, 0n, { perSecond: 5n })],
  ["audio_speech", { perCharacter: 5n }, tokenPrice(0n, 0n, { perCharacter: 5n })],
  ["image_generation", { input: 3n, perImage: 5n }, tokenPrice(3n, 0n, { perImage: 5n })],
  ["embedding", { input: 1n }, tokenPrice(1n, 0n)],
  ["embedding", { input: 1n, perRequest: 7n }, tokenPrice(1n, 0n, { perRequest: 7n })],
  ["image_generation", { perImage: 5n, perRequest: 7n }, tokenPrice(0n, 0n, { perImage: 5n, perRequest: 7n })],
  ["audio_transcription", { perSecond: 5n, perRequest: 7n }, tokenPrice(0n, 0n, { perSecond: 5n, perRequest: 7n })],
  ["rerank", { perSearch: 5n, perRequest: 7n }, tokenPrice(0n, 0n, { perSearch: 5n, perRequest: 7n })],
  ["rerank", { perSearch: 5n }, tokenPrice(0n, 0n, { perSearch: 5n })],
  [null, { perImage: 5n }, tokenPrice(0n, 0n, { perImage: 5n })],
] as const)("a model for %s with %o has a price", ([mode, known, price]) => {
  expect(composePrice(mode, { ...nothing, ...known })).toEqual(price);
});

test.for([
  ["chat", {}],
  ["chat", { input: 1n }],
  ["chat", { output: 1n }],
  [null, { input: 1n }],
  ["embedding", { output: 1n }],
  // The mode doesn't count the priced unit, so calls would be free.
  ["chat", { perSecond: 5n }],
  ["chat", { input: 1n, perImage: 5n }],
  ["embedding", { perCharacter: 5n }],
  ["audio_transcription", { perCharacter: 5n }],
  ["image_generation", { perSecond: 5n }],
  ["embedding", { perSearch: 5n }],
] as const)("a model for %s with %o has no price instead of a partial price", ([mode, known]) => {
  expect(composePrice(mode, { ...nothing, ...known })).toBeNull();
});
