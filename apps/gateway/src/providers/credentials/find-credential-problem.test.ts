import { Secret } from "@tollgate/domain/secret.ts";
import { expect, test } from "vitest";
import { credentialSourceOf, findCredentialUrlProblem } from "./find-credential-problem.ts";

const settingsOf = (provider: string, apiBase: string | null) => {
  return { modelName: "cloud", provider, upstreamModel: "x", apiBase, apiKey: null, options: {} };
};
const federated = new Secret(JSON.stringify({ type: "external_account" }));

test.for([
  ["bedrock", null],
  ["bedrock", "https://vpce-1.bedrock-runtime.eu-central-1.vpce.amazonaws.com"],
  ["bedrock", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"],
  ["vertex_ai", null],
  ["vertex_ai", "https://europe-west4-aiplatform.googleapis.com"],
  ["azure", "https://acme.openai.azure.com"],
  ["azure", "https://acme.openai.azure.us/openai/v1"],
  ["azure", "https://acme.services.ai.azure.com."],
  ["openai", "http://127.0.0.1:8000"],
  ["azure", null],
] as const)("credentials of %s may be sent to %s", ([provider, apiBase]) => {
  expect(findCredentialUrlProblem(settingsOf(provider, apiBase))).toBeNull();
});

test.for([
  ["bedrock", "http://bedrock-runtime.eu-central-1.amazonaws.com", /^AWS credentials .*without encryption/],
  ["bedrock", "https://amazonaws.com.example.com", /^AWS credentials are sent to amazonaws\.com\.example\.com,/],
  ["vertex_ai", "https://notgoogleapis.com", /^Google Cloud credentials are sent to notgoogleapis\.com,/],
  ["azure", "https://user:hidden@proxy.example.com", /^Microsoft Entra credentials are sent to proxy\.example\.com,/],
] as const)("credentials of %s must not be sent to %s unnoticed", ([provider, apiBase, expected]) => {
  const problem = findCredentialUrlProblem(settingsOf(provider, apiBase));
  expect(problem).toMatch(expected);
  expect(problem).not.toContain("hidden");
});

test("the URL in a Bedrock option counts", () => {
  const options = { aws_bedrock_runtime_endpoint: "https://proxy.example.com" };
  expect(findCredentialUrlProblem({ ...settingsOf("bedrock", null), options })).toContain("proxy.example.com");
});

test("a deployment with its own key has no problem", () => {
  const own = { ...settingsOf("azure", "https://proxy.example.com"), apiKey: new Secret("key-0123456789") };
  expect(findCredentialUrlProblem(own)).toBeNull();
});

test("an API key that contains a federated identity uses the library", () => {
  const settings = { ...settingsOf("vertex_ai", null), apiKey: federated };
  expect(credentialSourceOf(settings)?.package).toBe("google-auth-library");
});
