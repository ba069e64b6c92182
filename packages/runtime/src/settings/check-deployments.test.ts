import { expect, test } from "vitest";
import { loadText, loadValid, testProviders } from "./load-for-test.ts";
import { loadSettings } from "./load-settings.ts";
import type { CredentialSettings } from "./name-provider.ts";

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

const withRole = (params: string) => `model_list: [{ model_name: a, litellm_params: { model: sim/echo, ${params} } }]`;

test.for([
  ["aws_web_identity_token: token", "set aws_role_name to the role that the token is for"],
  [
    "aws_web_identity_token: oidc/google/audience, aws_role_name: role",
    "of LiteLLM's references, only oidc/file/<path> is supported",
  ],
] as const)("refuses an AWS web identity token that can't be used: %s", ([params, suggestion]) => {
  expect(loadText(withRole(params))).toMatchObject({ kind: "refused", problems: [{ suggestion }] });
});

test("warns about an AWS session name without a role", () => {
  const { warnings } = loadValid(withRole("aws_session_name: billing"));
  expect(warnings.map(({ kind, message }) => `${kind} ${message}`)).toEqual(["without-effect aws_session_name"]);
});

test("warns about a deployment whose credentials need a library that is not installed", () => {
  const text = "model_list: [{ model_name: a, litellm_params: { model: bedrock/x } }]";
  const load = (problem: string | null) => {
    const providers = { ...testProviders, findCredentialProblem: () => problem };
    const loaded = loadSettings({ files: [{ name: "tollgate.yaml", text }], env: {}, providers });
    return loaded.kind === "loaded" ? loaded.warnings.map(({ suggestion }) => suggestion) : loaded.problems;
  };
  expect(load("install it")).toEqual(["install it"]);
  expect(load(null)).toEqual([]);
});

test("warns about a deployment that sends a library's credentials to an unexpected URL", () => {
  const text = "model_list: [{ model_name: a, litellm_params: { model: bedrock/x, api_base: https://b.example } }]";
  const providers = {
    ...testProviders,
    findCredentialProblem: () => null,
    findCredentialUrlProblem: ({ apiBase }: CredentialSettings) => `sent to ${apiBase}`,
  };
  const loaded = loadSettings({ files: [{ name: "tollgate.yaml", text }], env: {}, providers });
  expect(loaded).toMatchObject({
    kind: "loaded",
    warnings: [{ kind: "advice", message: "credentials of a", suggestion: "sent to https://b.example" }],
  });
});

test("checks a deployment whose API key contains a document for a library", () => {
  const key = '{ "type": "external_account" }';
  const text = `model_list: [{ model_name: a, litellm_params: { model: vertex_ai/x, api_key: '${key}' } }]`;
  const providers = {
    ...testProviders,
    findCredentialProblem: ({ apiKey }: CredentialSettings) => (apiKey?.reveal() === key ? "install it" : undefined),
  };
  const loaded = loadSettings({ files: [{ name: "tollgate.yaml", text }], env: {}, providers });
  expect(loaded).toMatchObject({ kind: "loaded", warnings: [{ suggestion: "install it" }] });
});
