import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import type { RateCard } from "@tollgate/domain/pricing/rate-card.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { describe, expect, test } from "vitest";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import { images } from "../operations/images/images.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { withFees } from "./call-fees.ts";
import { conditionalPrices, servedPrice } from "./conditional-price.ts";
import { holdPriceOf, pricedAs } from "./record-usage.ts";

const peak = { name: "peak hours", timeZone: "UTC", days: [], fromMinute: 60, toMinute: 240 };
const AT_PEAK = Date.parse("2026-11-17T02:00:00Z");
const AT_NIGHT = Date.parse("2026-11-17T12:00:00Z");

function deploymentAt(rateCard: RateCard | null, more: object = {}): Deployment {
  const price = rateCard?.base ?? tokenPrice(1_000n, 2_000n);
  return {
    provider: { name: "openai", outputLimitParam: "max_tokens" },
    upstreamModel: "gpt-5",
    price,
    priceVersionId: priceVersionId("openai/gpt-5", price),
    facts: { maxInputTokens: 400_000, maxOutputTokens: 1_000, maxImageTokens: 0, rateCard },
    offers: { "chat.completions": { takesEveryParam: true, supportedParams: new Set(), unsupportedParams: new Set() } },
    allowedParams: [],
    additionalDropParams: [],
    ...more,
  } as unknown as Deployment;
}

function callWith(fields: object): Call {
  const call = makeChatCall({ text: JSON.stringify({ messages: [{ role: "user", content: "hello" }], ...fields }) });
  Object.assign(call.exchange, { admittedAtMs: AT_NIGHT });
  return call as unknown as Call;
}

const card: RateCard = {
  base: tokenPrice(1_000_000n, 8_000_000n),
  rules: [
    { when: { serviceTier: "flex" }, prices: { input: 500_000n, output: 4_000_000n } },
    { when: { serviceTier: "priority" }, prices: { input: 2_000_000n, output: 16_000_000n } },
    { when: { hours: peak }, prices: { output: 10_000_000n } },
  ],
};

describe("a price with conditions", () => {
  const deployment = deploymentAt(card);
  const used: Usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5 };
  const served = (serviceTier: string | null): Usage => ({
    ...used,
    served: { serviceTier, searchContext: null, region: null },
  });

  test("is requested with the tier that the request names, and all other possible prices are known", () => {
    const priced = pricedAs(callWith({ service_tier: "priority" }), deployment);
    expect(priced.condition).toBe("service tier priority");
    expect(priced.priceVersionId).toBe(
      priceVersionId("openai/gpt-5", priced.price as NonNullable<typeof priced.price>, "service tier priority"),
    );
    expect(priced.alternatives?.map(({ condition = null }) => condition)).toEqual([
      null,
      "peak hours",
      "service tier flex",
      "service tier flex, peak hours",
      "service tier priority",
      "service tier priority, peak hours",
    ]);
  });

  test("is held at its maximum and charged as served", () => {
    const call = callWith({ service_tier: "priority" });
    const prices = conditionalPrices(call, deployment);
    if (prices === null) throw new Error("the price has conditions");
    expect(holdPriceOf(call, deployment)).toMatchObject({ input: 2_000_000n, output: 16_000_000n });
    const conditionAt = (usage: Usage, atMs: number) =>
      servedPrice(prices, deployment, usage, atMs).condition ?? "no condition";
    expect(conditionAt(served("priority"), AT_NIGHT)).toBe("service tier priority");
    expect(conditionAt(served("default"), AT_NIGHT)).toBe("no condition");
    expect(conditionAt(served("default"), AT_PEAK)).toBe("peak hours");
    // A response that names no tier was served as requested.
    expect(conditionAt(used, AT_NIGHT)).toBe("service tier priority");
  });

  test("isn't charged at a cheaper tier that only the request names", () => {
    const flex = callWith({ service_tier: "flex" });
    const prices = conditionalPrices(flex, deployment);
    if (prices === null) throw new Error("the price has conditions");
    const conditionOf = (usage: Usage) => servedPrice(prices, deployment, usage, AT_NIGHT).condition ?? "no condition";
    expect(conditionOf(served("flex"))).toBe("service tier flex");
    expect(conditionOf(used)).toBe("no condition");
    // A stream that ended early may not have named its tier yet.
    expect(conditionOf({ ...used, source: "estimated" })).toBe("service tier flex");
    // Other servers may ignore the field, so the hold covers the base tier too.
    const other = deploymentAt({ ...card }, { provider: { name: "hosted_vllm", outputLimitParam: "max_tokens" } });
    expect(holdPriceOf(flex, other)).toMatchObject({ input: 1_000_000n });
    expect(holdPriceOf(flex, deployment)).toMatchObject({ input: 500_000n });
  });

  test("is the base price if the tier is not sent to the provider", () => {
    const conditionOf = (one: Deployment, source: Usage["source"] = "reported") => {
      const prices = conditionalPrices(callWith({ service_tier: "flex" }), one);
      if (prices === null) throw new Error("the price has conditions");
      return servedPrice(prices, one, { ...used, source }, AT_NIGHT).condition ?? "no condition";
    };
    expect(conditionOf(deploymentAt({ ...card }, { additionalDropParams: ["service_tier"] }))).toBe("no condition");
    const offers = { "chat.completions": { unsupportedParams: new Set(["service_tier"]) } };
    expect(conditionOf(deploymentAt({ ...card }, { offers }))).toBe("no condition");
    const sending = deploymentAt({ ...card }, { offers, allowedParams: ["service_tier"] });
    expect(conditionOf(sending, "estimated")).toBe("service tier flex");
  });

  test("is the deployment itself under no condition, so that its version isn't hashed again", () => {
    const call = callWith({});
    const prices = conditionalPrices(call, deployment);
    if (prices === null) throw new Error("the price has conditions");
    expect(servedPrice(prices, deployment, used, AT_NIGHT)).toBe(deployment);
    expect(pricedAs(call, deploymentAt(null)).alternatives).toBeUndefined();
  });
});

describe("the provider's cost", () => {
  const used: Usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5 };
  const flat = tokenPrice(9_000_000n, 9_000_000n);
  const providerPrices = { price: card.base, rateCard: card, imagePrices: new Map() };
  const costAt = (deployment: Deployment, fields: object, atMs: number) => {
    const prices = conditionalPrices(callWith(fields), deployment);
    if (prices === null) throw new Error("the price has conditions");
    const priced = servedPrice(prices, deployment, used, atMs);
    const ids = prices.requested.alternatives?.map(({ priceVersionId: id }) => id);
    expect(ids).toContain(priced.priceVersionId);
    return priced;
  };

  test("depends on what the provider serves although the sold price is flat", () => {
    const deployment = deploymentAt({ base: flat, rules: [] }, { providerPrices });
    expect(costAt(deployment, {}, AT_NIGHT)).toBe(deployment);
    expect(costAt(deployment, {}, AT_PEAK)).toMatchObject({
      price: flat,
      condition: null,
      cost: { price: { input: 1_000_000n, output: 10_000_000n }, condition: "peak hours" },
    });
    expect(holdPriceOf(callWith({}), deployment)).toMatchObject({ input: 9_000_000n, output: 9_000_000n });
  });

  test("is the one of the same hours if only the sold price names the tier", () => {
    const rules = [{ when: { serviceTier: "scale" }, prices: { input: 20_000_000n } }];
    const deployment = deploymentAt({ base: flat, rules }, { providerPrices });
    expect(costAt(deployment, { service_tier: "scale" }, AT_PEAK)).toMatchObject({
      price: { input: 20_000_000n },
      condition: "service tier scale",
      cost: { price: { output: 10_000_000n }, condition: "peak hours" },
    });
  });
});

describe("a request that leaves the tier to the provider's account", () => {
  const used: Usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5, source: "reported" };
  const holdOf = (deployment: Deployment, fields: object) => holdPriceOf(callWith(fields), deployment);

  /** Closes a call that was served at this tier. */
  function serve(deployment: Deployment, fields: object, serviceTier: string | null): void {
    const prices = conditionalPrices(callWith(fields), deployment);
    if (prices === null) throw new Error("the price has conditions");
    const served = serviceTier === null ? {} : { served: { serviceTier, searchContext: null, region: null } };
    servedPrice(prices, deployment, { ...used, ...served }, AT_NIGHT);
  }

  test("is held at the highest tier until a response names the account's tier", () => {
    const deployment = deploymentAt({ ...card });
    for (const fields of [{}, { service_tier: "auto" }]) {
      expect(holdOf(deployment, fields)).toMatchObject({ input: 2_000_000n, output: 16_000_000n });
    }
    expect(holdOf(deployment, { service_tier: "default" })).toMatchObject({ input: 1_000_000n });
    serve(deployment, {}, null);
    expect(holdOf(deployment, {})).toMatchObject({ input: 1_000_000n, output: 10_000_000n });
  });

  test("is held at each tier that the account has used", () => {
    const deployment = deploymentAt({ ...card });
    serve(deployment, { service_tier: "priority" }, "priority");
    serve(deployment, {}, "default");
    expect(holdOf(deployment, {})).toMatchObject({ input: 1_000_000n });
    serve(deployment, {}, "priority");
    serve(deployment, {}, "default");
    expect(holdOf(deployment, {})).toMatchObject({ input: 2_000_000n });
  });

  test("is never held at tiers that only a request can ask for", () => {
    const rules = ["batch", "fast"].map((serviceTier) => ({ when: { serviceTier }, prices: { input: 9_000_000n } }));
    expect(holdOf(deploymentAt({ base: card.base, rules }), {})).toMatchObject({ input: 1_000_000n });
  });
});

describe("a speed that the provider doesn't get", () => {
  const call = callWith({ service_tier: "priority", speed: "fast" });
  const offers = {
    "chat.completions": {
      takesEveryParam: true,
      supportedParams: new Set(),
      unsupportedParams: new Set(),
      fieldRules: new Map([["service_tier", { kind: "counted" }]]),
    },
  };

  test.for([{ additionalDropParams: ["speed"] }, { unknownParams: "drop", allowedFields: new Set(), offers }])(
    "doesn't hide the tier that it does get: %j",
    (more) => {
      const deployment = deploymentAt({ ...card }, more);
      expect(pricedAs(call, deployment).condition).toBe("service tier priority");
      expect(holdPriceOf(call, deployment)).toMatchObject({ input: 2_000_000n, output: 16_000_000n });
    },
  );

  test("is held and charged with the tier if the provider gets both", () => {
    expect(holdPriceOf(call, deploymentAt({ ...card }))).toMatchObject({ input: 2_000_000n });
  });

  test("leaves the tier open if the request names no other one", () => {
    const deployment = deploymentAt({ ...card }, { additionalDropParams: ["speed"] });
    expect(holdPriceOf(callWith({ speed: "fast" }), deployment)).toMatchObject({ input: 2_000_000n });
    expect(holdPriceOf(callWith({ speed: "fast", service_tier: "default" }), deployment)).toMatchObject({
      input: 1_000_000n,
    });
  });

  test("shows nothing about the tier of the account", () => {
    const deployment = deploymentAt({ ...card }, { additionalDropParams: ["speed", "service_tier"] });
    const prices = conditionalPrices(call, deployment);
    if (prices === null) throw new Error("the price has conditions");
    const served = { serviceTier: "default", searchContext: null, region: null };
    servedPrice(prices, deployment, { ...NO_USAGE, inputTokens: 10, source: "reported", served }, AT_NIGHT);
    // The next call that leaves the tier open is still held at every tier.
    expect(holdPriceOf(callWith({}), deployment)).toMatchObject({ input: 2_000_000n });
  });
});

describe("a response that ended before it named its tier", () => {
  const cut: Usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5, source: "estimated" };
  const conditionOf = (deployment: Deployment, fields: object, usage: Usage) => {
    const prices = conditionalPrices(callWith(fields), deployment);
    if (prices === null) throw new Error("the price has conditions");
    return servedPrice(prices, deployment, usage, AT_NIGHT).condition ?? "no condition";
  };

  test("costs as much as the most expensive tier that the account may have served", () => {
    const deployment = deploymentAt({ ...card });
    expect(conditionOf(deployment, {}, cut)).toBe("service tier priority");
    expect(conditionOf(deployment, { service_tier: "default" }, cut)).toBe("no condition");
    expect(conditionOf(deployment, { service_tier: "flex" }, cut)).toBe("service tier flex");
    // A server that never names its tier, and may never report its usage, has the base tier.
    expect(conditionOf(deploymentAt({ ...card }, { provider: { name: "hosted_vllm" } }), {}, cut)).toBe("no condition");
    // A response has shown that the account has the base tier.
    const served = { serviceTier: "default", searchContext: null, region: null };
    expect(conditionOf(deployment, {}, { ...cut, source: "reported", served })).toBe("no condition");
    expect(conditionOf(deployment, {}, cut)).toBe("no condition");
  });
});

test("images without prices by quality and size have the prices of the hour", () => {
  const base = tokenPrice(0n, 0n, { perImage: 40_000_000n, perRequest: 5_000_000n });
  const rules = [{ when: { hours: peak }, prices: { perImage: 60_000_000n } }];
  const deployment = deploymentAt({ base, rules });
  Object.assign(deployment.facts, { imagePrices: new Map() });
  const call = makeChatCall({ text: '{"model":"m","prompt":"a cat","n":2}', kind: images as OperationKind });
  Object.assign(call.exchange, { admittedAtMs: AT_NIGHT });
  const prices = conditionalPrices(call as unknown as Call, deployment);
  if (prices === null) throw new Error("the price has conditions");
  expect(holdPriceOf(call as unknown as Call, deployment)?.perImage).toBe(60_000_000n);
  const drawn: Usage = { ...NO_USAGE, images: 2, source: "estimated" };
  expect(servedPrice(prices, deployment, drawn, AT_PEAK).condition).toBe("peak hours");
  const charged = withFees(drawn, call as unknown as Call, deployment, deployment);
  expect(charged.requestFees).toBe(1);
});

test("a search of OpenAI's earlier tool is held and charged at its own price", () => {
  const search = { when: { searchContext: "preview" }, prices: { perWebSearch: 25_000_000n } };
  const base = tokenPrice(0n, 0n, { perWebSearch: 10_000_000n });
  const deployment = deploymentAt({ base, rules: [search] });
  const chargeFor = (type: string) => {
    const call = callWith({ tools: [{ type }] });
    const prices = conditionalPrices(call, deployment);
    if (prices === null) throw new Error("the price has conditions");
    const usage: Usage = { ...NO_USAGE, webSearches: 2, source: "reported" };
    const { price } = servedPrice(prices, deployment, usage, AT_NIGHT);
    return [holdPriceOf(call, deployment)?.perWebSearch, price?.perWebSearch];
  };
  expect(chargeFor("web_search")).toEqual([10_000_000n, 10_000_000n]);
  expect(chargeFor("web_search_preview_2025_03_11")).toEqual([25_000_000n, 25_000_000n]);
});
