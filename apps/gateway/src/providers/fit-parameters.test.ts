import { unknownCapabilities } from "@tollgate/catalog/model-capabilities.ts";
import { openaiChatParams } from "@tollgate/contracts/chat/chat-request.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Deployment, OfferedOperation } from "../call/deployment.ts";
import type { Provider, Translation } from "../call/provider.ts";
import { offeredOperations } from "../models/offered-operations.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { compileFields } from "./compile-fields.ts";
import { fitParameters } from "./fit-parameters.ts";
import { listsOf } from "./openai/request-fields.ts";
import { providers } from "./registry.ts";

const NO_TARGET = { apiBase: null, apiVersion: null };

const offered = {
  translation: {} as Translation,
  supportedParams: new Set(["temperature"]),
  unsupportedParams: new Set([...openaiChatParams].filter((name) => name !== "temperature")),
  missingFeatures: 0,
  plainFields: new Set<string>(),
  fieldRules: new Map(),
  extraRules: new Map(),
};
const deployment = {
  unknownParams: "forward",
  takesEveryParam: false,
  dropsParams: false,
  allowedParams: [] as readonly string[],
  additionalDropParams: [] as readonly string[],
};
const fit = (fields: object, limits: Partial<typeof deployment> = {}, dropped: string[] = []) => {
  const text = JSON.stringify({ model: "m", messages: [], ...fields });
  const { takesEveryParam, ...fitting } = { ...deployment, ...limits };
  const target = fitting as unknown as Deployment;
  return [...fitParameters(makeChatCall({ text, dropped }), target, { ...offered, takesEveryParam })].sort();
};

describe("a parameter that the model does not support", () => {
  test("is rejected by name", () => {
    expect(() => fit({ temperature: 1, seed: 1 })).toThrowError(
      expect.objectContaining({ code: "unsupported_parameter", facts: { param: "seed" } }),
    );
  });

  test("is dropped if the deployment or the request enables drop_params, unless the request disables it", () => {
    expect(fit({ seed: 1, top_p: 1 }, { dropsParams: true })).toEqual(["seed", "top_p"]);
    expect(fit({ seed: 1, drop_params: true })).toEqual(["seed"]);
    expect(() => fit({ seed: 1, drop_params: false }, { dropsParams: true })).toThrow();
  });

  test("is sent if the deployment or the request allows it", () => {
    expect(fit({ seed: 1 }, { allowedParams: ["seed"] })).toEqual([]);
    expect(fit({ seed: 1, allowed_openai_params: ["seed"] })).toEqual([]);
  });

  test("is ignored if it is null or not an OpenAI parameter", () => {
    expect(fit({ seed: null, frobnicate: 1 })).toEqual([]);
  });
});

test("drops a parameter with its default value instead of rejecting it", () => {
  expect(fit({ n: 1, logprobs: false, presence_penalty: 0 })).toEqual(["logprobs", "n", "presence_penalty"]);
  expect(() => fit({ n: 2 })).toThrow();
});

test("sends every parameter to a model that accepts all parameters", () => {
  expect(fit({ seed: 1 }, { takesEveryParam: true }, ["tags"])).toEqual(["tags"]);
});

test("drops parameters named by the request and by the deployment", () => {
  expect(fit({ temperature: 1, tags: ["a"] }, { additionalDropParams: ["temperature"] }, ["tags"])).toEqual([
    "tags",
    "temperature",
  ]);
});

describe("a code interpreter with a price per session", () => {
  const failureOf = (container: unknown, more: object = {}) => {
    const text = JSON.stringify({ model: "m", messages: [], tools: [{ type: "code_interpreter", container }] });
    const target = {
      ...deployment,
      unknownParams: "reject",
      allowedFields: new Set(),
      provider: { name: "openai" },
      price: { perCodeSession: 30_000_000_000n },
      facts: { rateCard: null },
      ...more,
    };
    try {
      fitParameters(makeChatCall({ text }), target as unknown as Deployment, {
        ...offered,
        fieldRules: compileFields([...listsOf("responses"), { counted: ["messages"] }]),
        takesEveryParam: true,
      });
      return null;
    } catch (error) {
      return error as Failure;
    }
  };
  const refused = (container: unknown, more: object = {}) => failureOf(container, more)?.facts.param ?? null;

  test("has the memory that the price is for, because larger containers cost up to 64 times as much", () => {
    for (const container of [undefined, { type: "auto" }, { type: "auto", memory_limit: "1g" }]) {
      expect(refused(container), JSON.stringify(container)).toBeNull();
    }
    expect(refused({ type: "auto", memory_limit: null })).toBeNull();
    expect(refused({ type: "auto", memory_limit: "64g" })).toBe("tools.0.container.memory_limit");
    expect(failureOf({ type: "auto", memory_limit: "64g" })?.facts.fix).toContain("tools.code_interpreter");
    expect(refused({ type: "auto", memory_limit: "64g" }, { usesOwnKey: true })).toBeNull();
    const allowedFields = new Set(["tools.code_interpreter"]);
    expect(refused({ type: "auto", memory_limit: "64g" }, { allowedFields })).toBeNull();
  });

  test("is not one that another request created, which can belong to another caller and have any size", () => {
    expect(refused("cntr_1")).toBe("tools.0.container");
    expect(refused("cntr_1", { usesOwnKey: true })).toBeNull();
    expect(refused("cntr_1", { allowedFields: new Set(["tools.code_interpreter"]) })).toBeNull();
  });

  test("reads no files of the operator's account", () => {
    expect(refused({ type: "auto", file_ids: [] })).toBeNull();
    expect(refused({ type: "auto", file_ids: ["file-1"] })).toBe("tools.0.container.file_ids");
    expect(refused({ type: "auto", file_ids: ["file-1"] }, { usesOwnKey: true })).toBeNull();
  });
});

describe("a file search with a price", () => {
  const failureOf = (tool: object, more: object = {}) => {
    const text = JSON.stringify({ model: "m", messages: [], tools: [tool] });
    const target = {
      ...deployment,
      unknownParams: "reject",
      allowedFields: new Set(),
      provider: { name: "openai" },
      price: { perFileSearch: 2_500_000_000n },
      facts: { rateCard: null },
      ...more,
    };
    try {
      fitParameters(makeChatCall({ text }), target as unknown as Deployment, {
        ...offered,
        fieldRules: compileFields([...listsOf("responses"), { counted: ["messages"] }]),
        takesEveryParam: true,
      });
      return null;
    } catch (error) {
      return (error as Failure).facts;
    }
  };
  const inStore = { type: "file_search", vector_store_ids: ["vs_1"] };

  test("reads no stores of the operator's account, unless the operator allows it or the caller pays the provider", () => {
    expect(failureOf(inStore)).toMatchObject({ param: "tools.0", fix: expect.stringContaining("tools.file_search") });
    expect(
      failureOf({ type: "collections_search", collection_ids: ["c"] }, { provider: { name: "xai" } }),
    ).toMatchObject({ param: "tools.0", fix: expect.stringContaining("tools.collections_search") });
    expect(failureOf(inStore, { usesOwnKey: true })).toBeNull();
    expect(failureOf(inStore, { allowedFields: new Set(["tools.file_search"]) })).toBeNull();
  });

  test("names the missing price first", () => {
    expect(failureOf(inStore, { price: {} })?.fix).toContain("file_search_cost_per_call");
  });
});

describe("a search with a price", () => {
  const refused = (options: object, more: object = {}) => {
    const text = JSON.stringify({ model: "m", messages: [], web_search_options: options });
    const target = {
      ...deployment,
      unknownParams: "reject",
      allowedFields: new Set(),
      provider: { name: "perplexity" },
      price: { perWebSearch: 5_000_000_000n },
      facts: { rateCard: null },
      ...more,
    };
    try {
      fitParameters(makeChatCall({ text }), target as unknown as Deployment, {
        ...offered,
        fieldRules: compileFields(listsOf("chat.completions")),
        takesEveryParam: true,
      });
      return null;
    } catch (error) {
      return (error as Failure).facts.param ?? null;
    }
  };

  test("is not one of a type that costs more", () => {
    expect(refused({ search_context_size: "high", user_location: { country: "US" } })).toBeNull();
    expect(refused({ search_type: null })).toBeNull();
    expect(refused({ search_type: "fast" })).toBeNull();
    // Perplexity bills a Pro Search at more than twice the fee.
    expect(refused({ search_type: "pro" })).toBe("web_search_options.search_type");
    expect(refused({ search_type: "auto" })).toBe("web_search_options.search_type");
    expect(refused({ search_type: "pro" }, { usesOwnKey: true })).toBeNull();
    expect(refused({ search_type: "pro" }, { allowedFields: new Set(["web_search_options"]) })).toBeNull();
  });
});

describe("a service tier without a price", () => {
  const refused = (fields: object, more: object = {}) => {
    const text = JSON.stringify({ model: "m", messages: [], ...fields });
    const target = {
      ...deployment,
      unknownParams: "drop",
      allowedFields: new Set(),
      provider: { name: "openai" },
      facts: { rateCard: null },
      ...more,
    };
    try {
      fitParameters(makeChatCall({ text }), target as unknown as Deployment, {
        ...offered,
        fieldRules: compileFields(listsOf("chat.completions")),
        takesEveryParam: true,
      });
      return null;
    } catch (error) {
      return (error as Failure).facts.param ?? null;
    }
  };

  test("is refused, also next to a speed that is not sent", () => {
    const both = { service_tier: "priority", speed: "fast" };
    expect(refused(both)).toBe("service_tier");
    expect(refused(both, { unknownParams: "forward" })).toBe("speed");
    expect(refused(both, { additionalDropParams: ["speed"] })).toBe("service_tier");
    expect(refused({ speed: "fast" })).toBeNull();
    expect(refused({ service_tier: "auto", speed: "fast" })).toBeNull();
  });
});

test("skips the checks only of calls that they would not change", () => {
  const model = { mode: null, capabilities: unknownCapabilities, configuredParams: ["temperature", "tools", "seed"] };
  const extra = ["speed", "frobnicate", "web_search_options", "thinking", "inference_geo", "cache_control", "metadata"];
  const names = fc.subarray([...openaiChatParams, ...extra], { maxLength: 4 });
  const value = fc.constantFrom<unknown>(null, 1, 0, true, false, "flex", "auto", "fast", [], {}, [{ type: "mcp" }]);
  const targets = fc.record({
    unknownParams: fc.constantFrom("forward", "reject", "drop"),
    dropsParams: fc.boolean(),
    additionalDropParams: fc.subarray(["seed"]),
  });
  let skipped = 0;
  const outcome = (text: string, target: Deployment, offer: OfferedOperation): unknown => {
    try {
      return [...fitParameters(makeChatCall({ text }), target, offer)].sort();
    } catch (error) {
      return (error as Failure).message;
    }
  };
  fc.assert(
    fc.property(
      fc.constantFrom("openai", "anthropic", "gemini", "mistral", "xai"),
      fc.boolean(),
      names,
      fc.array(value, { minLength: 4, maxLength: 4 }),
      targets,
      (name, isLimited, fields, values, settings) => {
        const provider = providers.get(name) as Provider;
        const facts = isLimited ? model : { ...model, configuredParams: null };
        const offers = offeredOperations(provider, "m", facts, settings.additionalDropParams, NO_TARGET);
        const offer = offers["chat.completions"] as OfferedOperation;
        const body = Object.fromEntries(fields.map((field, index) => [field, values[index]]));
        const text = JSON.stringify({ model: "m", messages: [], ...body });
        const target = { ...deployment, ...settings, allowedFields: new Set(), provider, facts: { rateCard: null } };
        const fast = outcome(text, target as unknown as Deployment, offer);
        if (fields.every((field) => offer.plainFields.has(field))) skipped += 1;
        expect(fast).toEqual(outcome(text, target as unknown as Deployment, { ...offer, plainFields: new Set() }));
      },
    ),
    { numRuns: 2_000 },
  );
  expect(skipped).toBeGreaterThan(100);
});
