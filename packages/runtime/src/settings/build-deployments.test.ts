import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@tollgate/domain/secret.ts";
import { describe, expect, test } from "vitest";
import { loadText, loadValid, oneDeployment } from "./load-for-test.ts";

describe("deployment settings", () => {
  test("use a shared credential for fields that the deployment omits", () => {
    const text = `credential_list:
  - credential_name: eu
    credential_values: {api_key: sk-eu, api_base: https://eu.example, aws_region_name: eu-1, aws_secret_access_key: hush}
model_list:
  - model_name: a
    litellm_params: {model: azure/x, litellm_credential_name: eu, api_base: https://own.example, aws_region_name: eu-2}`;
    const params = loadValid(text).settings.deployments[0]?.params;
    expect(params).toMatchObject({ apiBase: "https://own.example", providerOptions: { aws_region_name: "eu-2" } });
    expect(params?.apiKey?.reveal()).toBe("sk-eu");
    expect(params?.providerOptions.aws_secret_access_key).toBeInstanceOf(Secret);
  });

  test.for([
    [{ AZURE_API_KEY: "usual", AZURE_OPENAI_API_KEY: "other" }, "usual"],
    [{ AZURE_API_KEY: "", AZURE_OPENAI_API_KEY: "other" }, "other"],
    [{ AZURE_OPENAI_API_KEY: "other" }, "other"],
    [{ OPENAI_API_KEY: "of another provider" }, undefined],
  ] as const)("read a missing key from the first variable that is set: %j", ([env, key]) => {
    const { settings, warnings } = loadValid("model_list: [{model_name: a, litellm_params: {model: azure/x}}]", env);
    expect(settings.deployments[0]?.params.apiKey?.reveal()).toBe(key);
    const missing = warnings.filter(({ message }) => message.includes("has no api_key"));
    expect(missing.map(({ suggestion }) => suggestion)).toEqual(
      key === undefined ? ["set AZURE_API_KEY, or requests to it fail"] : [],
    );
  });

  test.for([
    ["model: text-completion-openai/gpt-x", "openai", "gpt-x"],
    ["model: azure_text/x", "azure", "x"],
    ["model: org/x, custom_llm_provider: azure_text", "azure", "org/x"],
  ] as const)("accept the provider name that other gateways use: %s", ([params, provider, upstreamModel]) => {
    const text = `model_list: [{model_name: a, litellm_params: {${params}, api_key: k}}]`;
    expect(loadValid(text).settings.deployments[0]?.params).toMatchObject({ provider, upstreamModel });
  });

  const aws = { AWS_ACCESS_KEY_ID: "env-id", AWS_SECRET_ACCESS_KEY: "env-secret", AWS_REGION: "env-region" };
  test.for<[string, Record<string, string>, Record<string, string>, string | undefined]>([
    [
      "",
      aws,
      { aws_access_key_id: "env-id", aws_secret_access_key: "env-secret", aws_region_name: "env-region" },
      undefined,
    ],
    // All options of a group come from the same source.
    ["aws_access_key_id: id, aws_region_name: eu", aws, { aws_access_key_id: "id", aws_region_name: "eu" }, undefined],
    ["api_key: key", aws, { aws_region_name: "env-region" }, "key"],
    ["", { AWS_BEARER_TOKEN_BEDROCK: "env-key" }, {}, "env-key"],
    ["aws_access_key_id: id", { AWS_BEARER_TOKEN_BEDROCK: "env-key" }, { aws_access_key_id: "id" }, undefined],
    // A role names a credential. Amazon's library reads the keys that may assume it.
    [
      "aws_web_identity_token: token, aws_role_name: role",
      { ...aws, AWS_BEARER_TOKEN_BEDROCK: "env-key" },
      { aws_web_identity_token: "token", aws_role_name: "role", aws_region_name: "env-region" },
      undefined,
    ],
  ])(
    "a credential in the file takes precedence over all from the environment: '%s' under %j",
    ([params, env, options, key]) => {
      const text = `model_list: [{model_name: a, litellm_params: {model: bedrock/x${params && `, ${params}`}}}]`;
      const { settings, warnings } = loadValid(text, env);
      const { providerOptions, apiKey } = settings.deployments[0]?.params ?? {};
      const shown = Object.entries(providerOptions ?? {}).map(([name, value]) => {
        expect([name, value instanceof Secret]).toEqual([name, !/_name$/.test(name)]);
        return [name, value instanceof Secret ? value.reveal() : value];
      });
      expect([Object.fromEntries(shown), apiKey?.reveal()]).toEqual([options, key]);
      expect(warnings.filter(({ message }) => message.includes("has no api_key"))).toEqual([]);
    },
  );

  test("accept a Google account as a file, which the settings loader reads", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "account-")), "account.json");
    await writeFile(file, '{"project_id":"acme"}');
    const read = (text: string, env = {}) => {
      const option = loadValid(text, env).settings.deployments[0]?.params.providerOptions.vertex_credentials;
      return option instanceof Secret ? option.reveal() : option;
    };
    const of = (params: string) => `model_list: [{model_name: a, litellm_params: {model: vertex_ai/x${params}}}]`;
    expect(read(of(""), { GOOGLE_APPLICATION_CREDENTIALS: file })).toBe('{"project_id":"acme"}');
    expect(read(of(`, vertex_credentials: "${file}"`))).toBe('{"project_id":"acme"}');
    expect(read(of(`, vertex_credentials: '{"project_id":"own"}'`))).toBe('{"project_id":"own"}');
    expect(read(of(", vertex_credentials: /no/such/file"))).toBe("/no/such/file");
  });

  test("take prices from the parameters or the model info, exact to the pico-USD", () => {
    const info = "    model_info: {output_cost_per_token: 1.0e-05, input_cost_per_token: 9}";
    const text = oneDeployment(
      "input_cost_per_token: 0.000000900719\n      input_cost_per_token_above_200k_tokens: os.environ/PRICE",
      info,
    );
    expect(loadValid(text, { PRICE: "5e-6" }).settings.deployments[0]?.params.prices).toMatchObject({
      input: 900_719n,
      output: 10_000_000n,
      cacheRead: null,
      tier: { aboveInputTokens: 200_000, input: 5_000_000n, output: null },
    });
  });

  test("take limits from the deployment, then its parameters, then its model info", () => {
    const text = `model_list: [{model_name: a, rpm: 1, litellm_params: {model: sim/echo, rpm: 2, tpm: 3}, model_info: {tpm: 4}}]`;
    expect(loadValid(text).settings.deployments[0]?.params).toMatchObject({ rpm: 1, tpm: 3 });
  });

  test("contain no secret when displayed", () => {
    const text = oneDeployment(
      `api_key: sk-hidden
      api_base: os.environ/BASE
      aws_secret_access_key: hidden-1
      litellm_credential_name: eu
      input_cost_per_token: 2.5e-06
      tags: [paid]
      notes: {access_token: hidden-2, url: "https://user:hidden-3@host/x", deep: os.environ/BASE, extra_headers: {authorization: hidden-4}}`,
      "    model_info: {max_input_tokens: 5, team_token: hidden-5, tier: gold}\ncredential_list: [{credential_name: eu, credential_values: {}}]",
    );
    const deployment = loadValid(text, { BASE: "https://hidden-6@base.example/v1" }).settings.deployments[0];
    expect(deployment?.params.shown).toEqual({
      model: "sim/echo",
      api_base: "https://base.example/v1",
      litellm_credential_name: "eu",
      input_cost_per_token: 2.5e-6,
      tags: ["paid"],
      notes: { url: "https://host/x", deep: "os.environ/BASE" },
    });
    expect(deployment?.info.shown).toEqual({ max_input_tokens: 5, tier: "gold" });
  });

  test("can name the provider in a separate field, and the model name can contain slashes", () => {
    const text = `model_list:
  - {model_name: a, litellm_params: {model: meta-llama/Llama-3, custom_llm_provider: hosted_vllm}}
  - {model_name: b, litellm_params: {model: hosted_vllm/meta-llama/Llama-3}}
  - {model_name: "*", litellm_params: {model: "*"}}`;
    const named = loadValid(text, { HOSTED_VLLM_API_KEY: "k" }).settings.deployments.map(({ params }) => params);
    expect(named).toMatchObject([
      { provider: "hosted_vllm", upstreamModel: "meta-llama/Llama-3" },
      { provider: "hosted_vllm", upstreamModel: "meta-llama/Llama-3" },
      { provider: null, upstreamModel: "*" },
    ]);
  });
});

describe("environment variables", () => {
  test("from the file take precedence over the process environment, serve as default keys, and are not exported", () => {
    const text = `environment_variables: {OPENAI_API_KEY: sk-from-file, COPY: os.environ/OUTER, PORT: 6380}
model_list: [{model_name: a, litellm_params: {model: openai/x, api_base: os.environ/COPY}}]
router_settings: {redis_host: cache, redis_port: os.environ/PORT}`;
    const { settings } = loadValid(text, { OPENAI_API_KEY: "sk-from-process", OUTER: "http://outer" });
    expect(settings.deployments[0]?.params.apiKey?.reveal()).toBe("sk-from-file");
    expect(settings.deployments[0]?.params.apiBase).toBe("http://outer");
    expect(settings.router.redisUrl?.reveal()).toBe("redis://cache:6380");
    expect(settings.environment.PORT?.reveal()).toBe("6380");
    expect(process.env.COPY).toBeUndefined();
  });

  test("are not required if only settings without effect refer to them", () => {
    expect(loadText("litellm_settings: {s3_callback_params: {key: os.environ/UNSET}}").kind).toBe("loaded");
  });

  test("of the provider are the fallback for a missing key, even if the model names no provider", () => {
    const text = "model_list: [{model_name: a, litellm_params: {model: gpt-4o}}]";
    const { params } = loadValid(text, { OPENAI_API_KEY: "sk-1" }).settings.deployments[0] ?? {};
    expect(params).toMatchObject({ model: "gpt-4o", provider: "openai", upstreamModel: "gpt-4o" });
    expect(params?.apiKey?.reveal()).toBe("sk-1");
  });
});
