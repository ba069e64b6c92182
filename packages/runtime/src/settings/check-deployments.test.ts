import { expect, test } from "vitest";
import { testProviders } from "./load-for-test.ts";
import { loadSettings } from "./load-settings.ts";

test("an unsupported provider produces a warning and skips its deployment", () => {
  const text = "model_list: [{ model_name: rerank, litellm_params: { model: cohere/rerank-v3 } }]";
  const providers = { ...testProviders, notCallable: new Set(["cohere"]) };
  const loaded = loadSettings({ files: [{ name: "tollgate.yaml", text }], env: {}, providers });
  expect(loaded).toMatchObject({
    kind: "loaded",
    warnings: [
      {
        message: "model: cohere/rerank-v3",
        suggestion: "this version does not support cohere; the deployment is skipped",
      },
    ],
  });
});

const adapters = {
  ...testProviders,
  known: new Map([...testProviders.known, ["ai_sdk", { apiKeyVariable: null }]]),
  findAdapterProblem: (name: string) => (name === "@ai-sdk/xai" ? null : `${name} is not installed`),
};

test.for([
  ['model: ai_sdk/grok-4, ai_sdk: "@ai-sdk/xai"', null],
  ["model: ai_sdk/grok-4, ai_sdk: nowhere", "nowhere is not installed"],
  ["model: ai_sdk/grok-4", "set ai_sdk to the adapter package"],
  ['model: openai/gpt-4o, ai_sdk: "@ai-sdk/xai"', "the model of such a deployment must be ai_sdk/<model name>"],
] as const)("a deployment with %s is accepted or rejected before startup", ([params, suggestion]) => {
  const text = `model_list: [{ model_name: one, litellm_params: { ${params} } }]`;
  const loaded = loadSettings({ files: [{ name: "tollgate.yaml", text }], env: {}, providers: adapters });
  if (suggestion === null) expect(loaded.kind).toBe("loaded");
  else expect(loaded).toMatchObject({ kind: "refused", problems: [{ suggestion }] });
});
