import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { expect, test } from "vitest";
import { catalogPricesOf, factsOfModel } from "./model-facts.ts";

test("a model has prices under conditions, and in each region of its deployments", () => {
  const catalog = loadCatalog();
  const named = catalogPricesOf("openai/gpt-5", catalog);
  expect(named.get("")?.price).toMatchObject({ input: 1_250_000n });
  expect(named.get("service tier priority")).toMatchObject({
    price: { input: 2_500_000n },
    condition: "service tier priority",
  });
  const prices = catalogPricesOf("vertex_ai/gemini-3.5-flash", catalog);
  const regional = factsOfModel(["vertex_ai/gemini-3.5-flash"], catalog, "regional").price;
  expect(prices.get(" in regional")).toEqual({ price: regional, condition: null });
  expect(prices.get("")?.price).not.toEqual(regional);
});
