import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { expect, test } from "vitest";
import { imagePrice } from "./image-price.ts";

const perImage = (price: bigint) => tokenPrice(0n, 0n, { perImage: price });
const listed = new Map([
  ["standard/1024x1024", perImage(40n)],
  ["hd/1024x1024", perImage(80n)],
]);
const target = (own: Map<string, ReturnType<typeof perImage>>, bought: typeof listed | null) =>
  ({
    provider: { name: "openai" },
    upstreamModel: "dall-e-3",
    price: perImage(60n),
    providerPrices: bought === null ? null : { price: perImage(40n), rateCard: null, imagePrices: bought },
    facts: { imagePrices: own },
  }) as unknown as Parameters<typeof imagePrice>[1];

test("images have the price of their quality and size", () => {
  const priced = imagePrice({ quality: "hd", size: "1024x1024" }, target(listed, null));
  expect(priced).toMatchObject({ price: { perImage: 80n }, condition: "image hd/1024x1024", cost: null });
  expect(imagePrice({}, target(new Map(), null))).toBeNull();
});

test("a flat price has the cost of the quality and size", () => {
  expect(imagePrice({ quality: "hd", size: "1024x1024" }, target(new Map(), listed))).toMatchObject({
    price: { perImage: 60n },
    condition: null,
    cost: { price: { perImage: 80n }, condition: "image hd/1024x1024" },
  });
});
