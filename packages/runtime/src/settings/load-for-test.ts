import { readFileSync } from "node:fs";
import { type LoadedSettings, loadSettings } from "./load-settings.ts";
import type { KnownProvider, Providers } from "./name-provider.ts";

/** A few providers with their default variables, as in the gateway. */
export const testProviders: Providers = {
  known: new Map<string, KnownProvider>([
    ["openai", { apiKeyVariable: "OPENAI_API_KEY" }],
    ["azure", { apiKeyVariable: "AZURE_API_KEY", otherKeyVariables: ["AZURE_OPENAI_API_KEY"] }],
    ["anthropic", { apiKeyVariable: "ANTHROPIC_API_KEY" }],
    [
      "bedrock",
      {
        apiKeyVariable: "AWS_BEARER_TOKEN_BEDROCK",
        optionVariables: [
          {
            aws_access_key_id: ["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key: ["AWS_SECRET_ACCESS_KEY"],
            aws_role_name: [],
          },
          { aws_region_name: ["AWS_REGION_NAME", "AWS_REGION"] },
        ],
      },
    ],
    [
      "vertex_ai",
      { apiKeyVariable: null, optionVariables: [{ vertex_credentials: ["GOOGLE_APPLICATION_CREDENTIALS"] }] },
    ],
    ["hosted_vllm", { apiKeyVariable: "HOSTED_VLLM_API_KEY" }],
    ["sim", { apiKeyVariable: null }],
  ]),
  infer: (bareModel) => (bareModel.startsWith("gpt-") ? "openai" : null),
};

/** Loads one file from memory. */
export function loadText(
  text: string,
  env: Readonly<Record<string, string>> = {},
  name = "tollgate.yaml",
): LoadedSettings {
  return loadSettings({ files: [{ name, text }], env, providers: testProviders });
}

/** Loads one file that must be valid. */
export function loadValid(
  text: string,
  env: Readonly<Record<string, string>> = {},
): Extract<LoadedSettings, { kind: "loaded" }> {
  const loaded = loadText(text, env);
  if (loaded.kind === "refused")
    throw new Error(loaded.problems.map(({ path, message }) => `${path}: ${message}`).join("\n"));
  return loaded;
}

/** Returns a file with one simulated deployment and these parameters. */
export function oneDeployment(params: string, rest = ""): string {
  return `model_list:\n  - model_name: group\n    litellm_params:\n      model: sim/echo\n      ${params}\n${rest}`;
}

/** A typical LiteLLM file, and the environment it was written for. */
export const litellmFile = {
  text: readFileSync(new URL("./fixtures/litellm-config.yaml", import.meta.url), "utf8"),
  env: {
    AZURE_API_BASE: "https://eu.example.com",
    AZURE_API_KEY: "covert-azure",
    OPENAI_API_KEY: "covert-openai",
    ANTHROPIC_API_KEY: "covert-anthropic",
    LITELLM_MASTER_KEY: "sk-covert-master-key-of-more-than-32-characters",
    DATABASE_URL: "postgres://tollgate:covert@db/tollgate",
  },
};
