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

  test("take LiteLLM's prices for service tiers, long prompts, and searches", () => {
    const text = oneDeployment(
      `input_cost_per_token: 0.000001
      output_cost_per_token: 0.000002
      input_cost_per_token_above_128k_tokens: 0.000003
      input_cost_per_token_above_256k_tokens: 0.000004
      input_cost_per_token_priority: 0.000005
      input_cost_per_token_above_200k_tokens_priority: 0.000006
      output_cost_per_token_batches: 0.000001
      cache_creation_input_token_cost_above_1hr: 0.000007
      search_context_cost_per_query: {search_context_size_low: 0.01, search_context_size_medium: 0.02}`,
    );
    const { prices, priceRules } = loadValid(text).settings.deployments[0]?.params ?? {};
    expect(prices).toMatchObject({
      input: 1_000_000n,
      longCacheWrite: 7_000_000n,
      perWebSearch: 20_000_000_000n,
      tier: { aboveInputTokens: 128_000, input: 3_000_000n },
    });
    expect(priceRules).toMatchObject([
      { when: { aboveInputTokens: 256_000 }, prices: { input: 4_000_000n }, tier: null },
      {
        when: { serviceTier: "priority" },
        prices: { input: 5_000_000n },
        tier: { aboveInputTokens: 200_000, input: 6_000_000n },
      },
      { when: { serviceTier: "batch" }, prices: { output: 1_000_000n } },
      { when: { searchContext: "low" }, prices: { perWebSearch: 10_000_000_000n } },
    ]);
  });

  test("take prices under conditions", () => {
    const text = oneDeployment(
      `price_rules:
        - hours: {name: peak hours, time_zone: Asia/Shanghai, days: [1, 5], from: "09:30", to: "18:00"}
          output_cost_per_token: 0.000002
        - {region: us, above_input_tokens: 5, input_cost_per_token: 0.000003}`,
    );
    expect(loadValid(text).settings.deployments[0]?.params.priceRules).toEqual([
      {
        when: {
          hours: { name: "peak hours", timeZone: "Asia/Shanghai", days: [1, 5], fromMinute: 570, toMinute: 1_080 },
        },
        prices: { output: 2_000_000n },
      },
      { when: { region: "us", aboveInputTokens: 5 }, prices: { input: 3_000_000n }, tier: null },
    ]);
  });

  test.for([
    ['{name: a, time_zone: Mars, from: "09:00", to: "18:00"}', "'Mars' is not a time zone"],
    ['{name: a, from: "9 am", to: "18:00"}', "'9 am' is not a time"],
  ] as const)("reject the hours %s", ([hours, message]) => {
    const text = oneDeployment(`price_rules: [{hours: ${hours}, input_cost_per_token: 1}]`);
    const loaded = loadText(text);
    expect(loaded.kind === "refused" && loaded.problems.map((problem) => problem.message).join()).toContain(message);
  });

  test.for([
    ["no condition", "{input_cost_per_token: 1}", "a rule has no condition"],
    ["no price", "{service_tier: flex}", "a rule has no price"],
    [
      "a day that doesn't exist",
      '{hours: {name: peak, days: [0], from: "09:00", to: "12:00"}, input_cost_per_token: 1}',
      "0 is not a day",
    ],
  ] as const)("refuse a price rule with %s", ([, rule, message]) => {
    const loaded = loadText(oneDeployment(`price_rules: [${rule}]`));
    expect(loaded.kind === "refused" && loaded.problems.map((problem) => problem.message).join()).toContain(message);
  });

  test("refuse more price rules than a price can have", () => {
    const rules = Array.from({ length: 31 }, (_, index) => `{service_tier: t${index}, input_cost_per_token: 1}`);
    const loaded = loadText(oneDeployment(`price_rules: [${rules.join()}]`));
    expect(loaded.kind === "refused" && loaded.problems.map((problem) => problem.message).join()).toContain(
      "at most 30 rules",
    );
  });

  test("refuse hours that overlap in too many ways", () => {
    const rule = (minute: number) =>
      `{hours: {name: peak, from: "09:${10 + minute}", to: "18:00"}, input_cost_per_token: 1}`;
    const load = (count: number) =>
      loadText(oneDeployment(`price_rules: [${Array.from({ length: count }, (_, index) => rule(index)).join()}]`));
    expect(load(5).kind).not.toBe("refused");
    const loaded = load(6);
    expect(loaded.kind === "refused" && loaded.problems.map((problem) => problem.message).join()).toContain("overlap");
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
