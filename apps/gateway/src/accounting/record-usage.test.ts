import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { describe, expect, test } from "vitest";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import { factsOfModel } from "../models/model-facts.ts";
import { completions } from "../operations/completions/completions.ts";
import { images } from "../operations/images/images.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { providers } from "../providers/registry.ts";
import { otherModelIn, pricedAs, servedModel } from "./record-usage.ts";

const catalog = loadCatalog();

function deploymentOf(name: string, upstreamModel: string): Deployment {
  const provider = providers.get(name);
  const prepared = { modelJson: JSON.stringify(upstreamModel), headers: [], streamHeaders: [] };
  return { provider, upstreamModel, prepared } as unknown as Deployment;
}

describe("the model name in a response", () => {
  const openai = deploymentOf("openai", "gpt-4o-mini");

  test.for([
    ["the requested model", '{"id":"x","model":"gpt-4o-mini","choices":[]}', null],
    ["the requested model, with spaces", '{"id": "x", "model": "gpt-4o-mini"}', null],
    ["none", '{"id":"x","choices":[]}', null],
    ["another model", '{"id":"x","model":"gpt-4o","choices":[]}', "gpt-4o"],
    ["another model in a stream", 'data: {"id":"x","model":"gpt-4o"}\n\n', "gpt-4o"],
    ["another model after text", '{"content":"\\"model\\":\\"gpt-4o-mini\\"","model":"o1-pro"}', "o1-pro"],
  ] as const)("is detected if it differs from the requested name: %s", ([, text, expected]) => {
    expect(otherModelIn(text, openai)).toBe(expected);
  });

  test("is not taken from tool call arguments in Google's responses", () => {
    const text = '{"candidates":[{"functionCall":{"args":{"model":"o1-pro"}}}],"modelVersion":"gemini-2.5-flash"}';
    expect(otherModelIn(text, deploymentOf("gemini", "gemini-2.5-flash"))).toBeNull();
  });
});

describe("a served model", () => {
  test.for([
    ["openai", "gpt-4o-mini", "gpt-4o-mini-2024-07-18"],
    ["openai", "gpt-4o-2024-08-06", "gpt-4o"],
    ["openrouter", "openai/gpt-4o-mini", "openai/gpt-4o-mini"],
    ["anthropic", "claude-3-5-haiku-latest", "claude-3-5-haiku-20241022"],
    ["hosted_vllm", "my-llama", "gpt-4"],
    ["azure", "production", "gpt-4o-2024-08-06"],
  ] as const)(
    "from %s that was requested as %s and named %s in the response counts as the same model",
    ([provider, requested, named]) => {
      expect(servedModel(deploymentOf(provider, requested), named, catalog)).toBeNull();
    },
  );

  test("with a vendor in its name has the vendor's price", () => {
    const served = servedModel(deploymentOf("openrouter", "openai/gpt-4o-mini"), "anthropic/claude-3-opus", catalog);
    expect(served?.priced?.price).toMatchObject({ input: 15_000_000n, output: 75_000_000n });
  });

  test("that is not in the catalog has no price", () => {
    expect(servedModel(deploymentOf("openai", "gpt-4o-mini"), "novel-1", catalog)).toEqual({ priced: null });
    // A name without a vendor never refers to another provider's model.
    expect(servedModel(deploymentOf("groq", "llama-3.1-8b"), "o1-pro", catalog)).toEqual({ priced: null });
  });
});

describe("a model that the catalog prices per image", () => {
  const priceOf = (model: string, kind?: unknown) => {
    const facts = factsOfModel([model], catalog);
    const deployment = { ...deploymentOf("gemini", model), price: facts.price, facts, additionalDropParams: [] };
    const text = JSON.stringify({ prompt: "A cat", messages: [{ role: "user", content: "Draw a cat" }] });
    const call = makeChatCall({ text, ...(kind !== undefined && { kind: kind as OperationKind }) });
    return pricedAs(call as unknown as Call, deployment as unknown as Deployment).price;
  };

  test.for(["gemini/gemini-2.5-flash-image", "gemini/gemini-3-pro-image", "vertex_ai/gemini-3.1-flash-image"])(
    "has no price for text operations, which don't count images: %s",
    (model) => {
      expect(priceOf(model)).toBeNull();
      expect(priceOf(model, completions)).toBeNull();
      expect(priceOf(model, images)?.perImage).toBeGreaterThan(0n);
    },
  );

  test("is recognized by any of its units, also if another unit is free", () => {
    const price = { ...tokenPrice(1n, 0n), perImage: 0n, perSecond: 5n };
    const deployment = { ...deploymentOf("gemini", "any"), price, facts: {}, additionalDropParams: [] };
    expect(pricedAs(makeChatCall() as unknown as Call, deployment as unknown as Deployment).price).toBeNull();
  });

  test("does not affect models that are priced by tokens", () => {
    expect(priceOf("openai/gpt-image-1")?.output).toBeGreaterThan(0n);
    expect(priceOf("gemini/gemini-2.5-flash")?.output).toBeGreaterThan(0n);
  });
});
