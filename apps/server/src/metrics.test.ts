import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { setBudget } from "@tollgate/db/leases/budgets.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { parseMetrics } from "@tollgate/gateway/metrics/parse-metrics.fixture.ts";
import { MASTER_KEY } from "@tollgate/gateway/test-gateway.fixture.ts";
import { bookMetricDefinitions } from "@tollgate/platform/admin/metrics/book-metric-definitions.ts";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

test("metrics report the cost of calls and the remaining budgets", async ({ tollgate, upstreams }) => {
  const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
  await tollgate.addBudget(tenant, "team", 1_000_000n, "daily");
  await tollgate.addBudget(tenant, "key", 2_000_000n);
  const gateway = await tollgate.start({ yaml: "general_settings: { metrics_labels: [key] }" });
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 0, outputTokens: 10 }));
  expect((await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 10 })).status).toBe(200);
  await tollgate.settled(tenant, 1);
  const answer = await fetch(`${gateway.url}/metrics`, { headers: { "x-gw-api-key": MASTER_KEY } });
  const page = await answer.text();
  const readValue = (series: string) => {
    const line = page.split("\n").find((one) => one.startsWith(`${series} `));
    return line === undefined ? null : Number(line.slice(series.length));
  };
  const spent = Number(10n * OUTPUT_PRICE) / 1e9;
  expect(readValue(`gw_spend_metric_total{model="flat",team="${tenant.teamId}",key="${tenant.keyId}"}`)).toBe(spent);
  const team = `{id="${tenant.teamId}",alias="Research"}`;
  expect(readValue(`gw_team_max_budget_metric${team}`)).toBe(0.001);
  expect(readValue(`gw_remaining_team_budget_metric${team}`)).toBeCloseTo(0.001 - spent, 9);
  expect(readValue(`gw_team_budget_remaining_hours_metric${team}`)).toBeLessThanOrEqual(24);
  const key = `{id="${tenant.keyId}",alias="ci"}`;
  expect(readValue(`gw_remaining_api_key_budget_metric${key}`)).toBeCloseTo(0.002 - spent, 9);
  expect(readValue(`gw_api_key_budget_remaining_hours_metric${key}`)).toBeNull();
  expect(readValue("gw_spend_update_queue_size")).not.toBeNull();
});

/** Metrics that the gateway's API contract promises. */
const promised = [
  "gw_proxy_total_requests_metric_total",
  "gw_proxy_failed_requests_metric_total",
  "gw_request_total_latency_metric",
  "gw_llm_api_latency_metric",
  "gw_llm_api_time_to_first_token_metric",
  "gw_overhead_latency_metric",
  "gw_request_queue_time_seconds",
  "gw_input_tokens_metric_total",
  "gw_output_tokens_metric_total",
  "gw_total_tokens_metric_total",
  "gw_cached_tokens_metric_total",
  "gw_spend_metric_total",
  "gw_requests_metric_total",
  ...["api_key", "team", "org", "user"].flatMap((owner) => [
    `gw_remaining_${owner}_budget_metric`,
    `gw_${owner}_max_budget_metric`,
    `gw_${owner}_budget_remaining_hours_metric`,
  ]),
  "gw_remaining_api_key_requests_for_model",
  "gw_remaining_api_key_tokens_for_model",
  "gw_remaining_requests_metric",
  "gw_remaining_tokens_metric",
  "gw_deployment_state",
  "gw_deployment_rpm_limit",
  "gw_deployment_tpm_limit",
  "gw_deployment_success_responses_total",
  "gw_deployment_failure_responses_total",
  "gw_deployment_total_requests_total",
  "gw_deployment_cooled_down_total",
  "gw_deployment_latency_per_output_token",
  "gw_deployment_successful_fallbacks_total",
  "gw_deployment_failed_fallbacks_total",
  "gw_cache_hits_metric_total",
  "gw_cache_misses_metric_total",
  "gw_guardrail_requests_total",
  "gw_guardrail_errors_total",
  "gw_guardrail_latency_seconds",
  "gw_in_flight_requests",
  "gw_spend_update_queue_size",
];

test("every documented metric has samples after a few calls", async ({ tollgate, upstreams, database }) => {
  const platform = database.connect("tollgate_platform");
  const userId = await runAsAdministrator(platform, async (transaction) => {
    const { id } = await transaction
      .insertInto("users")
      .values({ email: "ada@example.com", name: "Ada" })
      .returning("id")
      .executeTakeFirstOrThrow();
    await writeAudit(transaction, {
      organizationId: null,
      actor: { type: "system", id: null },
      action: "user.signed_up",
      target: { type: "user", id: String(id) },
      after: { role: "user" },
    });
    return id;
  });
  const limits = { modelRpm: { flat: 1 }, modelTpm: { flat: 1_000 } };
  const tenant = await tollgate.addTenant({ credit: 1_000_000_000n, key: { userId, limits } });
  await runAsAdministrator(platform, async (transaction) => {
    const { organizationId, keyId, teamId } = tenant;
    const owners = { key: keyId, team: teamId, user: String(userId), organization: organizationId } as const;
    for (const [scope, scopeId] of Object.entries(owners) as [keyof typeof owners, string][]) {
      await setBudget(transaction, { organizationId, scope, scopeId, amount: 1_000_000n, period: "daily" });
    }
  });
  const gateway = await tollgate.start({
    models:
      '  - { model_name: spare, litellm_params: { model: openai/m5, api_base: "{origin}/v1", api_key: sk-1, rpm: 10, tpm: 20, input_cost_per_token: 0, output_cost_per_token: 0 } }',
    yaml: `
general_settings: { metrics_labels: [key, user] }
gw_settings: { cache: true, cache_params: { type: memory, mode: default_off } }
guardrails:
  - { guardrail_name: words, litellm_params: { guardrail: keyword_block, mode: pre_call, keywords: [swordfish] } }
router_settings: { num_retries: 0, allowed_fails: 0, cooldown_time: 60, fallbacks: [{ metered: [free] }, { free: [spare] }] }`,
  });
  const left = { "x-ratelimit-remaining-requests": "5", "x-ratelimit-remaining-tokens": "50" };
  const chat = (model: string, more = {}) => gateway.chat(tenant.apiKey, { model, max_tokens: 10, ...more });
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 3, outputTokens: 2 }), left);
  expect((await chat("flat")).status).toBe(200);
  expect((await chat("flat")).status).toBe(429);
  upstreams.alpha.streams(chatFrames({ inputTokens: 3, outputTokens: 2 }));
  await (await chat("metered", { stream: true })).text();
  upstreams.alpha.replies(200, chatAnswer());
  const cached = { cache: { "use-cache": true }, guardrails: ["words"] };
  for (const _time of ["first", "second"]) expect((await chat("metered", cached)).status).toBe(200);
  expect((await chat("metered", { ...cached, messages: [{ role: "user", content: "swordfish" }] })).status).toBe(400);
  upstreams.alpha.behaves(reply(503, {}), reply(200, chatAnswer()), reply(503, {}));
  expect((await chat("metered")).status).toBe(200);
  expect((await chat("free")).status).toBe(503);
  const answer = await fetch(`${gateway.url}/metrics`, { headers: { "x-gw-api-key": MASTER_KEY } });
  const metrics = parseMetrics(await answer.text());
  const missing = promised.filter((name) => (metrics.get(name)?.samples.size ?? 0) === 0);
  expect(missing).toEqual([]);
  const samplesOf = (name: string) => Object.fromEntries(metrics.get(name)?.samples ?? []);
  const forModel = `{key="${tenant.keyId}",model="flat"}`;
  expect(samplesOf("gw_remaining_api_key_requests_for_model")).toEqual({
    [`gw_remaining_api_key_requests_for_model${forModel}`]: 0,
  });
  // Without a shared store, each process gets a share of the limit. The call used five tokens of that share.
  const tokensLeft = samplesOf("gw_remaining_api_key_tokens_for_model");
  expect(Object.keys(tokensLeft)).toEqual([`gw_remaining_api_key_tokens_for_model${forModel}`]);
  expect(Object.values(tokensLeft)[0]).toSatisfy((left: number) => left > 0 && left < 1_000);
  expect(samplesOf("gw_ratelimited_total")).toEqual({ 'gw_ratelimited_total{scope="model_per_key"}': 1 });
  expect(samplesOf("gw_refused_total")['gw_refused_total{code="rate_limit_exceeded"}']).toBe(1);
  expect(samplesOf("gw_cache_hits_metric_total")).toEqual({ 'gw_cache_hits_metric_total{model="metered"}': 1 });
  expect(samplesOf("gw_cache_misses_metric_total")).toEqual({ 'gw_cache_misses_metric_total{model="metered"}': 1 });
  const guardrail = '{guardrail="words",mode="pre_call"}';
  expect(samplesOf("gw_guardrail_requests_total")).toEqual({ [`gw_guardrail_requests_total${guardrail}`]: 3 });
  expect(samplesOf("gw_guardrail_errors_total")).toEqual({ [`gw_guardrail_errors_total${guardrail}`]: 0 });
  expect(samplesOf("gw_retries_total")).toEqual({ gw_retries_total: 2 });
});

test("the ledger metrics page requires an administrator's key or a key with that route", async ({ tollgate }) => {
  const usual = await tollgate.addTenant({ credit: 1_000n });
  const scraper = await tollgate.addTenant({ credit: 1_000n, key: { allowedRoutes: ["/metrics/ledger"] } });
  const gateway = await tollgate.start();
  const read = (path: string, key: string | null) =>
    fetch(`${gateway.url}${path}`, { headers: key === null ? {} : { "x-gw-api-key": key } });
  const keys = [null, usual.apiKey, scraper.apiKey, MASTER_KEY];
  let statuses: number[] = [];
  // On a busy machine, the first lookup of a key can take longer than the database's time limit, which is a 503. No
  // other wrong status is forgiven.
  await expect
    .poll(async () => {
      statuses = await Promise.all(keys.map(async (key) => (await read("/metrics/ledger", key)).status));
      return statuses;
    })
    .not.toContain(503);
  expect(statuses).toEqual([401, 403, 200, 200]);
  expect((await read("/metrics", scraper.apiKey)).status).toBe(403);
  const page = parseMetrics(await (await read("/metrics/ledger", scraper.apiKey)).text());
  expect([...page.keys()]).toEqual(Object.keys(bookMetricDefinitions));
  expect(page.get("gw_gateways")?.samples.get("gw_gateways")).toBeGreaterThanOrEqual(1);
  const process = parseMetrics(await (await read("/metrics", MASTER_KEY)).text());
  const gauge = (name: string) => process.get(name)?.samples.get(name) ?? Number.NaN;
  expect(gauge("gw_journal_free_bytes")).toBeGreaterThan(0);
  expect(gauge("gw_journal_disk_bytes")).toBeGreaterThanOrEqual(gauge("gw_journal_free_bytes"));
  expect(gauge("gw_log_write_queue")).toBeGreaterThanOrEqual(0);
});
