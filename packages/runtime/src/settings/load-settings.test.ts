import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { Secret } from "@tollgate/domain/secret.ts";
import { describe, expect, test } from "vitest";
import { litellmFile, loadValid, testProviders } from "./load-for-test.ts";
import { loadSettings } from "./load-settings.ts";
import { defaultPlatformSettings } from "./platform-settings.ts";

test("without a file, every setting has its default", () => {
  const loaded = loadSettings({ files: [], env: {}, providers: testProviders });
  expect(loaded).toMatchObject({
    kind: "loaded",
    warnings: [],
    settings: {
      deployments: [],
      gateway: { dropParams: false, requestTimeoutSeconds: 600, unknownParams: "forward", errorCodeStyle: "semantic" },
      router: { numRetries: 2, maxFallbacks: 5, cooldownSeconds: 5, totalTimeoutSeconds: 900, maxUpstreamCalls: 6 },
      general: {
        masterKey: null,
        maxRequestSizeMb: 50,
        keyHeaders: ["x-gw-api-key", "authorization", "x-api-key", "api-key"],
      },
      billing: {
        provider: "off",
        admission: { policy: "strict", overdraft: 0n },
        maxHoldNanoUsd: 100_000_000_000n,
        outputStep: 4096,
        capOutput: true,
        exposeBalance: false,
      },
      prices: { disputed: "higher", maxAgeDays: 180, publicKey: null },
      assistants: {
        mode: "native",
        slots: 50,
        organizationWeights: {},
        queuedRunsPerKey: 200,
        queuedRunsPerOrganization: 1_000,
        listenersPerKey: 100,
        listenersPerOrganization: 500,
        storedMbPerKey: 2_000,
        storedMbPerOrganization: 10_000,
        storedMbWithoutCredit: 10,
        retentionDays: null,
      },
    },
  });
});

test("unknown fields are rejected with billing on and forwarded with billing off, unless configured otherwise", () => {
  const chosen = (text: string) => loadValid(text).settings.gateway.unknownParams;
  expect(chosen("billing: {provider: fake}")).toBe("reject");
  expect(chosen("billing: {provider: off}")).toBe("forward");
  expect(chosen("billing: {provider: fake}\ngw_settings: {unknown_params: drop}")).toBe("drop");
  expect(chosen("gw_settings: {unknown_params: reject}")).toBe("reject");
});

test("without a file, the platform has the default settings", () => {
  const loaded = loadSettings({ files: [], env: {}, providers: testProviders });
  expect(loaded.kind === "loaded" && loaded.settings.platform).toEqual(defaultPlatformSettings);
});

test("platform settings are read from their sections, with exact amounts and no trailing slash in URLs", () => {
  const text = `platform: {publicUrl: https://gw.example.com/, allowedOrigins: ["https://console.example.com/"]}
signUp: {mode: invite, verifyEmail: true, defaultTeam: false, grant: 2.000000001, bootstrapSecret: os.environ/BOOT}
auth: {tokenTtl: 300, passwordMinLength: 12, adminTotp: optional}
email: {url: os.environ/SMTP, from: Gate <gate@example.com>}
billing: {provider: stripe, stripe: {secretKey: os.environ/STRIPE, webhookSecrets: [os.environ/HOOK], apiBase: http://127.0.0.1:12111}, minPurchase: 1, maxPurchase: 20.50}
usage: {retentionDays: 30}
limits: {requestsPerMinute: 7, keysPerTeam: 3}
general_settings: {trusted_proxies: [10.0.0.0/8]}`;
  const env = { BOOT: "b".repeat(32), SMTP: "smtp://u:p@mail:587", STRIPE: "sk_test", HOOK: "h".repeat(32) };
  const { platform, billing } = loadValid(text, env).settings;
  expect(platform).toMatchObject({
    publicUrl: "https://gw.example.com",
    allowedOrigins: ["https://console.example.com"],
    trustedProxies: ["10.0.0.0/8"],
    signUp: { mode: "invite", verifyEmail: true, defaultTeam: false, grantNanoUsd: 2_000_000_001n },
    auth: { tokenTtlSeconds: 300, passwordMinLength: 12, adminTotp: "optional" },
    mail: { from: "Gate <gate@example.com>" },
    billing: {
      provider: "stripe",
      stripeApiBase: "http://127.0.0.1:12111",
      minPurchaseNanoUsd: 1_000_000_000n,
      maxPurchaseNanoUsd: 20_500_000_000n,
    },
    usage: { retentionDays: 30 },
    limits: { callsPerMinutePerUser: 7, openCallsPerMinutePerAddress: 60, keysPerTeam: 3 },
  });
  expect(platform.signUp.bootstrapSecret?.reveal()).toBe(env.BOOT);
  expect(platform.mail.url?.reveal()).toBe(env.SMTP);
  expect(platform.billing.stripeSecretKey?.reveal()).toBe(env.STRIPE);
  expect(platform.billing.stripeWebhookSecrets.map((secret) => secret.reveal())).toEqual([env.HOOK]);
  expect(billing).not.toHaveProperty("stripe");
});

test("words, quoted values, bare digits, and numbers with underscores are parsed by field type", () => {
  const text = `gw_settings: {drop_params: yes, cache: "off", max_budget: "100.50", cost_margin_config: {openai: 0.05, azure: {fixed_amount: 0.001}}}
router_settings: {redis_host: h, redis_password: 007, redis_db: "1", max_fallbacks: 1_0}
general_settings: {key_headers: [X-GW-API-Key], server_root_path: /a/b/, completion_model: 4, hosted: open}`;
  const { settings } = loadValid(text);
  expect(settings.gateway).toMatchObject({
    dropParams: true,
    cache: { enabled: false },
    maxBudgetNanoUsd: 100_500_000_000n,
    costMargin: {
      openai: { shareMillionths: 50_000n, fixedNanoUsd: 0n },
      azure: { shareMillionths: 0n, fixedNanoUsd: 1_000_000n },
    },
  });
  expect(settings.router.redisUrl?.reveal()).toBe("redis://:007@h:6379/1");
  expect(settings.router.maxFallbacks).toBe(10);
  expect(settings.general).toMatchObject({
    keyHeaders: ["x-gw-api-key"],
    serverRootPath: "/a/b",
    completionModel: "4",
  });
});

test("the strict hosted profile accepts keys in one header, and a listener can override the profile", () => {
  const text =
    "general_settings: {hosted: strict, listeners: [{port: 4001}, {port: 4002, key_headers: [Authorization]}]}";
  expect(loadValid(text).settings.general).toMatchObject({
    keyHeaders: ["x-gw-api-key"],
    listeners: [
      { host: null, port: 4001, keyHeaders: ["x-gw-api-key"] },
      { port: 4002, keyHeaders: ["authorization"] },
    ],
  });
});

test("worker run slots and thread retention can be set within limits", () => {
  const { settings } = loadValid("assistants: {slots: 200, organization_weights: {org_a: 2}, retention_days: 30}");
  expect(settings.assistants).toMatchObject({
    mode: "native",
    upstream: null,
    slots: 200,
    organizationWeights: { org_a: 2 },
    retentionDays: 30,
  });
  for (const wrong of ["slots: 0", "slots: 1001", "organization_weights: {org_a: 0}", "retention_days: 0"]) {
    const loaded = loadSettings({
      files: [{ name: "x.yaml", text: `assistants: {${wrong}}` }],
      env: {},
      providers: testProviders,
    });
    expect(loaded.kind, wrong).toBe("refused");
  }
});

test("guardrails and the assistants upstream retain the fields of their type, with secrets wrapped", () => {
  const text = `guardrails:
  - guardrail_name: hook
    litellm_params: {guardrail: webhook, mode: [pre_call, post_call], url: https://x, api_key: os.environ/K, on_error: allow}
assistants: {mode: passthrough, litellm_params: {model: azure/a, api_key: os.environ/K}}`;
  const { settings } = loadValid(text, { K: "hush" });
  expect(settings.guardrails).toMatchObject([
    {
      name: "hook",
      kind: "webhook",
      modes: ["pre_call", "post_call"],
      defaultOn: false,
      onError: "allow",
      options: { url: "https://x" },
    },
  ]);
  expect(settings.guardrails[0]?.options).toMatchObject({ api_key: expect.any(Secret) });
  expect(settings.assistants.upstream?.api_key).toBeInstanceOf(Secret);
});

describe("a LiteLLM file", () => {
  const { text, env } = litellmFile;

  test("loads unchanged with its original meaning", () => {
    const { settings } = loadValid(text, env);
    expect(settings.deployments.map(({ modelName, params }) => [modelName, params.provider])).toEqual([
      ["gpt-4o", "azure"],
      ["gpt-4o", "openai"],
      ["claude", "anthropic"],
      ["claude-careful", "anthropic"],
      ["anthropic/*", "anthropic"],
    ]);
    expect(settings.deployments[0]?.params).toMatchObject({ apiVersion: "2024-10-21", rpm: 900 });
    expect(settings.deployments[3]?.params).toMatchObject({
      timeoutSeconds: 900,
      prices: { input: 3_000_000n, output: 15_000_000n },
    });
    expect(settings.gateway).toMatchObject({
      dropParams: true,
      requestTimeoutSeconds: 120,
      cache: { enabled: true, type: "redis", supportedCallTypes: ["completion", "embedding"] },
    });
    expect(settings.gateway.cache.redisUrl?.reveal()).toBe("redis://cache.internal:6380");
    expect(settings.router).toMatchObject({
      routingStrategy: "usage-based-routing-v2",
      numRetries: 3,
      allowedFails: 3,
      fallbacks: { "gpt-4o": ["claude"], "*": ["claude-careful"] },
      contextWindowFallbacks: { "gpt-4o": ["claude"] },
      modelGroupAlias: {
        "gpt-4": { model: "gpt-4o", hidden: false },
        "secret-model": { model: "claude", hidden: true },
      },
      retryPolicy: { timeout: 1, rateLimit: 4, badRequest: null },
    });
    expect(settings.general.masterKey?.reveal()).toBe(env.LITELLM_MASTER_KEY);
  });

  test("produces a warning for every setting without effect", () => {
    expect(loadValid(text, env).warnings.map(({ path }) => path)).toEqual([
      "model_list[1].litellm_params.temperature",
      "model_list[1].litellm_params.max_retries",
      "litellm_settings.success_callback",
      "litellm_settings.set_verbose",
      "litellm_settings.default_team_settings",
      "general_settings.alerting[0]",
      "general_settings.use_google_kms",
      "general_settings.proxy_batch_write_at",
      "files_settings",
    ]);
  });

  test("shows no secret when its settings are printed", () => {
    expect(inspect(loadValid(text, env), { depth: null, showHidden: true })).not.toContain("covert");
  });
});

test("the example file is valid both unchanged and with every setting uncommented", () => {
  const text = readFileSync(new URL("../../../../tollgate.example.yaml", import.meta.url), "utf8");
  expect(loadValid(text).warnings).toEqual([]);
  const everything = text.replaceAll(/^#(?![# ]yaml|#)/gm, "").replace(/^include:.*/m, "");
  const env = {
    OPENAI_API_KEY: "sk-openai",
    TOLLGATE_MASTER_KEY: "sk-a-master-key-that-is-hard-to-guess",
    DATABASE_URL: "postgres://db",
    STRIPE_SECRET_KEY: "sk_test_key",
    STRIPE_WEBHOOK_SECRET: "whsec_of-at-least-thirty-two-characters",
    TOLLGATE_BOOTSTRAP_SECRET: "a-secret-of-at-least-thirty-two-characters",
    SMTP_URL: "smtp://localhost",
  };
  const loaded = loadValid(everything, env);
  expect(loaded.warnings).toEqual([]);
  expect(loaded.settings.deployments).toHaveLength(5);
});
