import { describe, expect, test } from "vitest";
import type { Deployment } from "../../model-list/deployment.ts";
import type { Translation } from "../../providers/provider.ts";
import { makeChatCall } from "../chat-call.fixture.ts";
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

describe("a parameter the model does not support", () => {
  test("is refused by name", () => {
    expect(() => fit({ temperature: 1, seed: 1 })).toThrowError(
      expect.objectContaining({ code: "unsupported_parameter", facts: { param: "seed" } }),
    );
  });

  test("is left out when the deployment says so, unless the request says otherwise", () => {
    expect(fit({ seed: 1, top_p: 1 }, { dropsParams: true })).toEqual(["seed", "top_p"]);
    expect(fit({ seed: 1, drop_params: true })).toEqual(["seed"]);
    expect(() => fit({ seed: 1, drop_params: false }, { dropsParams: true })).toThrow();
  });

  test("is sent as it is when somebody allowed it", () => {
    expect(fit({ seed: 1 }, { allowedParams: ["seed"] })).toEqual([]);
    expect(fit({ seed: 1, allowed_openai_params: ["seed"] })).toEqual([]);
  });

  test("is nothing to speak of when it is null, or when nobody knows it", () => {
    expect(fit({ seed: null, frobnicate: 1 })).toEqual([]);
  });
});

test("a parameter that asks for what would happen anyway is left out, and never a reason to refuse", () => {
  expect(fit({ n: 1, logprobs: false, presence_penalty: 0 })).toEqual(["logprobs", "n", "presence_penalty"]);
  expect(() => fit({ n: 2 })).toThrow();
});

test("a model that takes everything is sent everything", () => {
  expect(fit({ seed: 1 }, { takesEveryParam: true }, ["tags"])).toEqual(["tags"]);
});

test("what the request and the deployment drop goes too", () => {
  expect(fit({ temperature: 1, tags: ["a"] }, { additionalDropParams: ["temperature"] }, ["tags"])).toEqual([
    "tags",
    "temperature",
  ]);
});
