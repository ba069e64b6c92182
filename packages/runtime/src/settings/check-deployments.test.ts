import { expect, test } from "vitest";
import { testProviders } from "./load-for-test.ts";
import { loadSettings } from "./load-settings.ts";

test("a provider that exists but cannot be called yet costs a warning, not the file", () => {
  const text = "model_list: [{ model_name: rerank, litellm_params: { model: cohere/rerank-v3 } }]";
  const providers = { ...testProviders, notCallable: new Set(["cohere"]) };
  const loaded = loadSettings({ files: [{ name: "tollgate.yaml", text }], env: {}, providers });
  expect(loaded).toMatchObject({
    kind: "loaded",
    warnings: [
      { message: "model: cohere/rerank-v3", suggestion: "this version cannot call cohere; the deployment is left out" },
    ],
  });
});
