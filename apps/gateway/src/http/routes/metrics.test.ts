import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { expect } from "vitest";
import { MASTER_KEY, type TestGateway } from "../../test-gateway.fixture.ts";
import { test, UPSTREAM_KEY } from "./chat-gateway.fixture.ts";

const line = /^([a-z_:]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)$/;

/** Returns every sample by its name and labels. Fails on an invalid line. */
function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const written of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
    const [, name, labels = "", value] = line.exec(written) ?? [];
    expect(name, written).toBeDefined();
    const key = labels === "" ? String(name) : `${name}{${labels}}`;
    expect(samples.has(key), written).toBe(false);
    samples.set(key, Number(value));
  }
  return samples;
}

async function scrape(gateway: TestGateway, key: string | null = MASTER_KEY): Promise<Response> {
  return fetch(`${gateway.url}/metrics`, { headers: key === null ? {} : { "x-gw-api-key": key } });
}

async function read(gateway: TestGateway): Promise<Map<string, number>> {
  const answer = await scrape(gateway);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return samplesOf(await answer.text());
}

test("counts calls, tokens, durations, and deployment responses", async ({ gateway, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }), {
    "x-ratelimit-remaining-requests": "41",
  });
  for (let call = 0; call < 3; call += 1) expect((await gateway.chat({ model: "alpha" })).status).toBe(200);
  upstreams.beta.streams(chatFrames({ inputTokens: 5, outputTokens: 2 }));
  await (await gateway.chat({ model: "beta", stream: true })).text();
  const samples = await read(gateway);
  const alpha = 'model="alpha",team=""';
  expect(samples.get(`gw_requests_metric_total{${alpha}}`)).toBe(3);
  expect(samples.get(`gw_input_tokens_metric_total{${alpha}}`)).toBe(36);
  expect(samples.get(`gw_output_tokens_metric_total{${alpha}}`)).toBe(9);
  expect(samples.get(`gw_total_tokens_metric_total{${alpha}}`)).toBe(45);
  for (const name of ["gw_request_total_latency_metric", "gw_llm_api_latency_metric", "gw_overhead_latency_metric"]) {
    expect(samples.get(`${name}_count{${alpha}}`), name).toBe(3);
    expect(samples.get(`${name}_bucket{${alpha},le="+Inf"}`), name).toBe(3);
    expect(samples.get(`${name}_sum{${alpha}}`), name).toBeGreaterThan(0);
  }
  expect(samples.get('gw_llm_api_time_to_first_token_metric_count{model="beta",team=""}')).toBe(1);
  expect(samples.has(`gw_llm_api_time_to_first_token_metric_count{${alpha}}`)).toBe(false);
  const asked =
    'requested_model="alpha",team="",route="chat.completions",status_code="200",class="succeeded",exception_class=""';
  expect(samples.get(`gw_proxy_total_requests_metric_total{${asked}}`)).toBe(3);
  expect(samples.get('gw_deployment_success_responses_total{model_id="alpha-1"}')).toBe(3);
  expect(samples.get('gw_deployment_total_requests_total{model_id="alpha-1"}')).toBe(3);
  expect(samples.get('gw_remaining_requests_metric{model_id="alpha-1"}')).toBe(41);
  expect(samples.get('gw_deployment_state{model_id="alpha-1",provider="openai"}')).toBe(0);
  expect(samples.get("gw_in_flight_requests")).toBe(0);
});

test("counts failed and rejected requests by status and class", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: "router_settings: { num_retries: 0 }" });
  upstreams.alpha.replies(503, { error: { message: "down" } });
  expect((await gateway.chat({ model: "alpha" })).status).toBe(503);
  expect((await gateway.chat({ model: "nope" })).status).toBe(404);
  expect((await gateway.chat({ model: "alpha" }, { "x-gw-api-key": "sk-unknown" })).status).toBe(401);
  const samples = await read(gateway);
  const failed = (labels: string) => samples.get(`gw_proxy_failed_requests_metric_total{${labels}}`);
  const route = 'route="chat.completions"';
  expect(
    failed(
      `requested_model="alpha",team="",${route},status_code="503",class="failed",exception_class="ServiceUnavailableError"`,
    ),
  ).toBe(1);
  expect(
    failed(`requested_model="",team="",${route},status_code="404",class="rejected",exception_class="NotFoundError"`),
  ).toBe(1);
  expect(
    failed(
      `requested_model="",team="",${route},status_code="401",class="refused",exception_class="AuthenticationError"`,
    ),
  ).toBe(1);
  expect(
    samples.get('gw_deployment_failure_responses_total{model_id="alpha-1",exception="ServiceUnavailableError"}'),
  ).toBe(1);
  expect(samples.get('gw_deployment_total_requests_total{model_id="alpha-1"}')).toBe(1);
});

test("counts fallbacks and cooldowns", async ({ start, upstreams }) => {
  const gateway = await start({
    yaml: 'router_settings: { num_retries: 0, allowed_fails: 0, cooldown_time: 60, fallbacks: [{ alpha: ["beta"] }] }',
  });
  upstreams.alpha.replies(503, {});
  upstreams.beta.replies(200, chatAnswer());
  expect((await gateway.chat({ model: "alpha" })).status).toBe(200);
  const samples = await read(gateway);
  expect(samples.get('gw_deployment_successful_fallbacks_total{from="alpha",to="beta",exception=""}')).toBe(1);
  expect(samples.get('gw_deployment_cooled_down_total{model_id="alpha-1"}')).toBe(1);
  expect(samples.get('gw_deployment_state{model_id="alpha-1",provider="openai"}')).toBe(2);
  const asked =
    'requested_model="alpha",team="",route="chat.completions",status_code="200",class="succeeded",exception_class=""';
  expect(samples.get(`gw_proxy_total_requests_metric_total{${asked}}`)).toBe(1);
});

test("metrics have team labels, and key ID labels if configured, but never contain a secret", async ({
  start,
  upstreams,
  database,
}) => {
  const tenant = await addTenant(database.connect("tollgate_platform"));
  upstreams.alpha.replies(200, chatAnswer());
  const gateway = await start({
    database: database.connect("tollgate_gateway"),
    yaml: "general_settings: { metrics_labels: [key, end_user] }",
  });
  const headers = { "x-gw-api-key": tenant.apiKey };
  await gateway.chat({ model: "alpha", user: 'a"b\\c\n' }, headers);
  await gateway.chat({ model: "alpha", user: "other" }, headers);
  const text = await (await scrape(gateway)).text();
  const labels = `model="alpha",team="${tenant.teamId}",key="${tenant.keyId}"`;
  expect(samplesOf(text).get(`gw_requests_metric_total{${labels},end_user="a\\"b\\\\c\\n"}`)).toBe(1);
  expect(samplesOf(text).get(`gw_requests_metric_total{${labels},end_user="other"}`)).toBe(1);
  for (const secret of [tenant.apiKey, MASTER_KEY, UPSTREAM_KEY]) expect(text).not.toContain(secret);
});

test("requires an administrator key or a key that may call /metrics, unless authentication is turned off", async ({
  start,
  database,
}) => {
  const platform = database.connect("tollgate_platform");
  const usual = await addTenant(platform);
  const scraper = await addTenant(platform, { key: { allowedRoutes: ["/metrics"] } });
  const yaml = (isNeeded: boolean) => `general_settings: { require_auth_for_metrics: ${isNeeded} }`;
  const guarded = await start({ database: database.connect("tollgate_gateway"), yaml: yaml(true) });
  expect((await scrape(guarded, null)).status).toBe(401);
  expect((await scrape(guarded, usual.apiKey)).status).toBe(403);
  expect((await scrape(guarded, scraper.apiKey)).status).toBe(200);
  const open = await start({ yaml: yaml(false) });
  expect((await scrape(open, null)).status).toBe(200);
});

test("/metrics/ledger returns 404 without a database", async ({ gateway }) => {
  const answer = await fetch(`${gateway.url}/metrics/ledger`, { headers: { "x-gw-api-key": MASTER_KEY } });
  expect(answer.status).toBe(404);
});
