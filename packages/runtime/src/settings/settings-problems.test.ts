import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { loadText, loadValid, oneDeployment } from "./load-for-test.ts";

const SIGNING_KEY = generateKeyPairSync("ed25519")
  .privateKey.export({ format: "der", type: "pkcs8" })
  .toString("base64");

describe("settings problems", () => {
  test.each<[string, string, object]>([
    [
      "an unknown section",
      "modle_list: []",
      { column: 1, message: 'unknown setting "modle_list"', suggestion: 'did you mean "model_list"?' },
    ],
    ["a section like no other", "plugins: []", { suggestion: expect.stringContaining("known sections: model_list") }],
    [
      "a name that is nearly right",
      "billing: {outputSteps: 1}",
      { suggestion: 'did you mean "outputStep"?', path: "billing.outputSteps" },
    ],
    [
      "text for a number",
      oneDeployment("rpm: fast"),
      { line: 5, column: 12, message: "rpm: fast", suggestion: "expected a whole number, 0 or more" },
    ],
    ["a fraction for a count", oneDeployment("rpm: 1.5"), { message: "rpm: 1.5" }],
    [
      "a number that is too large",
      "general_settings: {max_request_size_mb: 9999}",
      { suggestion: "expected a whole number from 1 to 1024" },
    ],
    [
      "a time of nothing",
      "gw_settings: {request_timeout: 0}",
      { suggestion: "expected a number above 0, at most 86400" },
    ],
    ["a word for yes or no", "gw_settings: {drop_params: perhaps}", { suggestion: "expected true or false" }],
    [
      "an unknown choice",
      "billing: {admission: always}",
      { suggestion: "expected one of strict, positive, nonnegative" },
    ],
    [
      "a catalog key of another kind",
      "prices: {publicKey: bm90IGEga2V5}",
      { message: "prices.publicKey", suggestion: "expected an Ed25519 public key in base64 (DER) or PEM" },
    ],
    [
      "a checkpoint key of another kind",
      "checkpoints: {signingKey: bm90IGEga2V5, folder: checkpoints}",
      { path: "checkpoints.signingKey", suggestion: "expected an Ed25519 private key in PEM or base64 (DER)" },
    ],
    [
      "a checkpoint key without a folder or webhook",
      `checkpoints: {signingKey: ${SIGNING_KEY}}`,
      { suggestion: "set checkpoints.folder or checkpoints.webhookUrl too" },
    ],
    [
      "a checkpoint folder without a key",
      "checkpoints: {folder: checkpoints}",
      { suggestion: "set checkpoints.signingKey too" },
    ],
    [
      "a checkpoint webhook in a private network",
      `checkpoints: {signingKey: ${SIGNING_KEY}, webhookUrl: "http://10.0.0.1/"}`,
      { path: "checkpoints.webhookUrl", suggestion: expect.stringContaining("platform.outboundAllow") },
    ],
    [
      "a checkpoint webhook without a secret",
      `checkpoints: {signingKey: ${SIGNING_KEY}, webhookUrl: "https://audit.example/"}`,
      { suggestion: expect.stringContaining("set checkpoints.webhookSecret") },
    ],
    ...["positive", "nonnegative"].map((policy): [string, string, object] => [
      `${policy} admission without an overdraft`,
      `billing: {admission: ${policy}}`,
      {
        line: 1,
        message: `admission: ${policy} requires billing.overdraft above 0`,
        suggestion: expect.stringContaining("set billing.overdraft"),
      },
    ]),
    [
      "an overdraft in dollars and cents",
      "billing: {overdraft: 2.50}",
      { suggestion: "expected a whole number from 0 to 1000000000000000" },
    ],
    ["a hold larger than the ledger can add up", "billing: {maxHold: 1000000000000001}", {}],
    [
      "forwarding every field with billing on",
      "gw_settings: {unknown_params: forward}\nbilling: {provider: fake}",
      {
        message: "unknown_params: forward with billing on",
        suggestion: expect.stringContaining("litellm_params.unknown_params: forward on deployments"),
      },
    ],
    [
      "a choice that is nearly right",
      "router_settings: {routing_strategy: least_busy}",
      { suggestion: 'did you mean "least-busy"?' },
    ],
    [
      "an open name that is nearly right",
      oneDeployment("rpm: 1", "    model_info: {mode: embeddings}"),
      { suggestion: 'did you mean "embedding"?' },
    ],
    ["a mapping for a list", "model_list: {}", { message: "model_list", suggestion: "expected a list" }],
    ["a list for a section", "billing: []", { suggestion: "expected a mapping" }],
    ["one value for a list", oneDeployment("tags: paid"), { message: "tags: paid", suggestion: "expected a list" }],
    [
      "a deployment without a group",
      "model_list: [{litellm_params: {model: sim/echo}}]",
      { message: "model_name is missing in model_list[0]" },
    ],
    [
      "a deployment without a model",
      "model_list:\n- model_name: a\n  litellm_params: {model: }",
      { message: "model is missing in litellm_params" },
    ],
    [
      "a repeated id",
      "model_list:\n- {model_name: a, litellm_params: {model: sim/echo}, model_info: {id: x}}\n- {model_name: b, litellm_params: {model: sim/echo}, model_info: {id: x}}",
      { line: 3, message: "id: x", suggestion: "tollgate.yaml:2 has the same ID; IDs must be unique" },
    ],
    [
      "an unknown provider",
      "model_list: [{model_name: a, litellm_params: {model: sagemaker/x}}]",
      { suggestion: "known providers: anthropic, azure, bedrock, hosted_vllm, openai, sim, vertex_ai" },
    ],
    [
      "a provider that is nearly right",
      "model_list: [{model_name: a, litellm_params: {model: opneai/x}}]",
      { message: 'unknown provider "opneai" in model: opneai/x', suggestion: 'did you mean "openai"?' },
    ],
    [
      "a model that names no provider",
      "model_list: [{model_name: a, litellm_params: {model: mystery}}]",
      { message: "model: mystery has no provider" },
    ],
    [
      "an unknown credential",
      oneDeployment("litellm_credential_name: absent"),
      { path: "model_list[0].litellm_params.litellm_credential_name" },
    ],
    ["an address of another kind", oneDeployment("api_base: ftp://files"), { message: "api_base" }],
    [
      "a price finer than a pico-USD",
      oneDeployment("input_cost_per_token: 1e-13"),
      { suggestion: "more than 12 decimal places are not supported" },
    ],
    ["a negative price", oneDeployment("input_cost_per_token: -1e-6"), { suggestion: "expected a number, 0 or more" }],
    [
      "a master key of another form",
      "general_settings: {master_key: hunter2}",
      { message: "master_key", suggestion: 'it must start with "sk-"' },
    ],
    [
      "an unknown key header",
      "general_settings: {key_headers: [x-gw-key]}",
      { suggestion: expect.stringContaining("supported headers: x-gw-api-key") },
    ],
    [
      "a key header that is nearly right",
      "general_settings: {key_headers: [authorisation]}",
      { column: 34, suggestion: 'did you mean "authorization"?' },
    ],
    ["no key header at all", "general_settings: {key_headers: []}", { message: "key_headers" }],
    [
      "a listener's unknown header",
      "general_settings: {listeners: [{port: 4001, key_headers: [cookie]}]}",
      { message: "key_headers: cookie" },
    ],
    [
      "two listeners on one port",
      "general_settings: {listeners: [{port: 4001}, {port: 4001}]}",
      { message: "port: 4001" },
    ],
    [
      "a network that is none",
      "general_settings: {trusted_proxies: [10.0.0.0/8, 10.0.0.0/64]}",
      { path: "general_settings.trusted_proxies[1]" },
    ],
    [
      "a root path without a slash",
      "general_settings: {server_root_path: gateway}",
      { message: "server_root_path: gateway" },
    ],
    [
      "fallbacks in a circle",
      "router_settings: {fallbacks: [{a: [b]}, {b: [c]}, {c: [a]}]}",
      { message: "fallbacks: a → b → c → a", suggestion: "a group falls back to itself" },
    ],
    [
      "a circle in LiteLLM's section",
      "litellm_settings: {context_window_fallbacks: [{a: [a]}]}",
      { path: "litellm_settings.context_window_fallbacks[0].a" },
    ],
    [
      "a circle through an alias",
      "router_settings: {model_group_alias: {other: a}, content_policy_fallbacks: [{a: [other]}]}",
      { message: "content_policy_fallbacks: a → a", path: "router_settings.content_policy_fallbacks[0].a" },
    ],
    [
      "a circle through a name without its provider",
      "router_settings: {fallbacks: [{a: [sim/b]}, {b: [a]}]}",
      { message: "fallbacks: a → sim/b → a" },
    ],
    [
      "aliases in a circle",
      "router_settings: {model_group_alias: {a: b, b: a}}",
      { message: "model_group_alias: a → b → a" },
    ],
    [
      "a guardrail on every call that cannot run",
      "guardrails: [{guardrail_name: pii, litellm_params: {guardrail: presidio, mode: pre_call, default_on: true}}]",
      { message: 'guardrail "pii" requires presidio' },
    ],
    [
      "a pattern that is not a valid regular expression",
      "guardrails: [{guardrail_name: p, litellm_params: {guardrail: regex_pii, mode: pre_call, patterns: {bad: '(a'}}}]",
      { message: 'pattern "bad"', path: "guardrails[0].litellm_params.patterns.bad" },
    ],
    [
      "a pattern that takes more than its text is long",
      "guardrails: [{guardrail_name: p, litellm_params: {guardrail: regex_pii, mode: pre_call, patterns: {back: '(a)\\1'}}}]",
      { message: 'pattern "back"' },
    ],
    [
      "a pattern that repeats without measure",
      "guardrails: [{guardrail_name: p, litellm_params: {guardrail: regex_pii, mode: pre_call, patterns: {big: '[a-z]{900}x[0-9]{900}y[a-z]{900}'}}}]",
      { message: 'pattern "big"', suggestion: expect.stringContaining("instructions") },
    ],
    [
      "a webhook over plain HTTP",
      "guardrails: [{guardrail_name: h, litellm_params: {guardrail: webhook, mode: pre_call, url: 'http://guard.example/x'}}]",
      { message: "url", suggestion: expect.stringContaining("allow_http") },
    ],
    [
      "two guardrails of one name",
      "guardrails: [{guardrail_name: a, litellm_params: {guardrail: max_length, mode: pre_call, max_characters: 5}}, {guardrail_name: a, litellm_params: {guardrail: max_length, mode: pre_call, max_characters: 9}}]",
      { message: 'guardrail "a" is defined twice' },
    ],
    [
      "forwarding assistants without a target",
      "assistants: {mode: passthrough}",
      { message: "assistants.litellm_params is missing" },
    ],
    [
      "payments without a key",
      "billing: {provider: stripe}",
      { path: "billing.provider", suggestion: expect.stringContaining("billing.stripe.secretKey") },
    ],
    [
      "a webhook secret that may be guessed",
      "billing: {stripe: {webhookSecrets: [whsec_test]}}",
      { path: "billing.stripe.webhookSecrets[0]", message: "webhookSecrets[0]" },
    ],
    ["a purchase of a part of a cent", "billing: {minPurchase: 0.001}", { path: "billing.minPurchase" }],
    [
      "a smallest purchase above the largest",
      "billing: {minPurchase: 20000}",
      { suggestion: "it is larger than maxPurchase" },
    ],
    ["a bootstrap secret that may be guessed", "signUp: {bootstrapSecret: admin}", { path: "signUp.bootstrapSecret" }],
    ["a public address with a path", "platform: {publicUrl: https://a.example/x}", { path: "platform.publicUrl" }],
    [
      "an allowed target that is a URL",
      'platform: {outboundAllow: [hooks.internal, "http://hooks.internal"]}',
      { path: "platform.outboundAllow[1]", suggestion: expect.stringContaining("host:port") },
    ],
    ["mail by another protocol", "email: {url: https://mail}", { path: "email.url", message: "email.url" }],
    [
      "mail whose links would lead nowhere",
      "email: {url: smtp://mail}",
      { path: "email.url", suggestion: expect.stringContaining("platform.publicUrl") },
    ],
    [
      "addresses to verify without mail",
      "signUp: {verifyEmail: true}",
      { path: "signUp.verifyEmail", suggestion: expect.stringContaining("email.url") },
    ],
    ["a token that lives too long", "auth: {tokenTtl: 604801}", { path: "auth.tokenTtl" }],
    [
      "a variable that is not set",
      "general_settings: {master_key: os.environ/THIS_IS_NOT_SET}",
      {
        message: "master_key: os.environ/THIS_IS_NOT_SET",
        suggestion: "the environment variable is not set.",
        path: "general_settings.master_key",
      },
    ],
    [
      "a variable not set under an unknown name",
      "billing: {something_else: {deep: os.environ/THIS_IS_NOT_SET}}",
      { path: "billing.something_else.deep" },
    ],
  ])("reject a file with %s", (_, text, problem) => {
    const loaded = loadText(text);
    expect(loaded.kind === "refused" && loaded.problems).toEqual([expect.objectContaining(problem)]);
  });

  test("are reported together, in file order", () => {
    const loaded = loadText(
      `general_settings: {master_key: abc}\nbilling: {provider: paypal, holdFactor: 2}\nnonsense: 1`,
    );
    const lines = loaded.kind === "refused" && loaded.problems.map(({ line, path }) => `${line} ${path}`);
    expect(lines).toEqual([
      "1 general_settings.master_key",
      "2 billing.provider",
      "2 billing.holdFactor",
      "3 nonsense",
    ]);
  });

  test("contain no secret and no value from the environment", () => {
    const env = { KEY: "zulu-yankee", PORT: "x-ray" };
    const text =
      "general_settings: {master_key: os.environ/KEY, max_file_size_mb: os.environ/PORT, database_url: [whisky]}";
    const loaded = loadText(`${text}\nrouter_settings: {redis_password: {a: tango}}`, env);
    expect(loaded.kind).toBe("refused");
    expect(JSON.stringify(loaded)).not.toMatch(/zulu|x-ray|whisky|tango/);
    expect(JSON.stringify(loaded)).toContain("max_file_size_mb: os.environ/PORT");
  });
});

describe("settings warnings", () => {
  test.each<[string, string, object]>([
    ["an unknown setting", "billing: {shade: red}", { kind: "unknown", message: 'unknown setting "shade"' }],
    [
      "a LiteLLM setting without effect",
      "litellm_settings: {set_verbose: true}",
      { kind: "without-effect", message: "litellm_settings.set_verbose", suggestion: "use TOLLGATE_LOG_LEVEL instead" },
    ],
    [
      "a LiteLLM section without effect",
      "callback_settings: {otel: {}}",
      { kind: "without-effect", path: "callback_settings" },
    ],
    [
      "a name from an open list that is unknown",
      oneDeployment("rpm: 1", "    model_info: {mode: realtime}"),
      { kind: "without-effect", path: "model_list[0].model_info.mode" },
    ],
    [
      "a fallback to a group that does not exist",
      `${oneDeployment("rpm: 1")}router_settings: {fallbacks: [{group: [gruop]}]}`,
      { kind: "advice", message: 'fallbacks names "gruop"', suggestion: 'did you mean "group"?' },
    ],
    [
      "an alias of a group that does not exist",
      "router_settings: {model_group_alias: {a: nothing}}",
      { kind: "advice", message: 'model_group_alias: a names "nothing"' },
    ],
    [
      "a setting that another spelling overrides",
      "gw_settings: {drop_params: true}\nlitellm_settings: {drop_params: false}",
      { path: "litellm_settings.drop_params", suggestion: "gw_settings.drop_params is also set and takes precedence" },
    ],
    [
      "a deployment without a key",
      "model_list: [{model_name: a, litellm_params: {model: openai/x}}]",
      { kind: "advice", suggestion: "set OPENAI_API_KEY, or requests to it fail" },
    ],
    [
      "a price that is one per million",
      oneDeployment("input_cost_per_token: 2.5"),
      { kind: "advice", suggestion: "the unit is USD per token, not per million tokens" },
    ],
    [
      "more than a key from callers",
      oneDeployment("configurable_clientside_auth_params: [api_key, api_base]"),
      { kind: "without-effect", suggestion: "callers can only provide an api_key" },
    ],
    [
      "a provider that cannot take callers' keys",
      "model_list: [{model_name: a, litellm_params: {model: bedrock/x, configurable_clientside_auth_params: [api_key]}}]",
      { kind: "advice", suggestion: "callers' keys are not supported for bedrock; set the operator's credentials" },
    ],
    [
      "a guessable master key",
      "general_settings: {master_key: sk-1234}",
      { kind: "advice", path: "general_settings.master_key" },
    ],
    [
      "a guardrail that cannot run when asked for",
      "guardrails: [{guardrail_name: pii, litellm_params: {guardrail: presidio, mode: pre_call, api_key: os.environ/UNSET}}]",
      { kind: "without-effect", message: 'guardrail "pii" requires presidio' },
    ],
  ])("report %s without preventing startup", (_, text, warning) => {
    expect(loadValid(text).warnings).toEqual([expect.objectContaining(warning)]);
  });

  test("report a fallback list under an alias, which is never used", () => {
    const text = `model_list: [{model_name: a, litellm_params: {model: sim/echo}}, {model_name: b, litellm_params: {model: sim/echo}}]
router_settings: {model_group_alias: {other: a}, fallbacks: [{other: [b]}]}`;
    const warning = { message: 'fallbacks names the alias "other"', suggestion: expect.stringContaining('"a"') };
    expect(loadValid(text).warnings).toEqual([expect.objectContaining(warning)]);
  });

  test("do not report two groups that fall back to each other for different reasons", () => {
    const models = ["big", "small"]
      .map((name) => `{model_name: ${name}, litellm_params: {model: sim/echo}}`)
      .join(", ");
    const text = `model_list: [${models}]
router_settings: {fallbacks: [{big: [small]}], context_window_fallbacks: [{small: [big]}]}`;
    expect(loadValid(text).warnings).toEqual([]);
  });

  test("do not report a wildcard fallback as a cycle, or a name that matches a wildcard as unknown", () => {
    const text = `model_list: [{model_name: "sim/*", litellm_params: {model: "sim/*"}}]
router_settings: {fallbacks: [{"*": [sim/echo]}, {sim/echo: [sim/lorem]}], default_fallbacks: [sim/json]}`;
    expect(loadValid(text).warnings).toEqual([]);
  });
});
