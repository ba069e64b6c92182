import { describe, expect, test } from "vitest";
import type { Deployment } from "../call/deployment.ts";
import type { Translation } from "../call/provider.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { fitParameters } from "./fit-parameters.ts";

const offered = {
  translation: {} as Translation,
  supportedParams: new Set(["temperature"]),
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
