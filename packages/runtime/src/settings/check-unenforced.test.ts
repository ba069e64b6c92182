import { expect, test } from "vitest";
import { loadValid, oneDeployment } from "./load-for-test.ts";

const reported = (text: string) =>
  loadValid(text).warnings.map(({ kind, line, message }) => `${kind} ${line} ${message}`);

test("warns about unenforced limits, prices, and features, and gives their location", () => {
  expect(
    reported(`gw_settings:
  max_budget: 100
  emulate_n: true
  include_cost_in_streaming_usage: true
  enable_json_schema_validation: true
  allow_mock: true
billing:
  exposeBalance: true
general_settings:
  alerting: [webhook]
  store_prompts_in_spend_logs: true
`),
  ).toEqual([
    "advice 2 max_budget",
    "advice 3 emulate_n",
    "advice 4 include_cost_in_streaming_usage",
    "advice 5 enable_json_schema_validation",
    "advice 6 allow_mock",
    "advice 8 exposeBalance",
    "advice 10 alerting",
    "advice 11 store_prompts_in_spend_logs",
  ]);
});

test("warns about unsupported router settings by name", () => {
  const text = `router_settings:
  mid_stream_fallback: true
  optional_pre_call_checks: [enforce_model_rate_limits, session_affinity, prompt_caching, router_budget_limiting]
`;
  expect(reported(text)).toEqual(["advice 2 mid_stream_fallback", "advice 3 optional_pre_call_checks"]);
  const suggestion = loadValid(text).warnings[1]?.suggestion;
  expect(suggestion).toBe(
    "this version does not support router_budget_limiting; set budgets on organizations, teams, and keys",
  );
});

test("reports settings sections that have no effect yet", () => {
  const text = `assistants: {mode: passthrough, litellm_params: {model: openai/gpt-4o}}
`;
  expect(reported(text)).toEqual(["advice 1 assistants"]);
});

test("warns about unsupported prices of a deployment, and not about callers' own keys", () => {
  const text = oneDeployment("input_cost_per_pixel: 1e-07\n      configurable_clientside_auth_params: [api_key]");
  expect(reported(text)).toEqual(["advice 5 input_cost_per_pixel"]);
});

test("accepts enforced settings without a warning", () => {
  expect(
    reported(`billing: {provider: fake, admission: strict, holdFactor: 0.5, outputStep: 1024, failOpen: true}
general_settings:
  max_parallel_requests: 5
  global_max_parallel_requests: 50
  max_connections_per_ip: 20
  rate_limit_window_seconds: 30
  background_health_checks: true
router_settings:
  routing_strategy: latency-based-routing
  enable_pre_call_checks: true
  optional_pre_call_checks: [enforce_model_rate_limits, session_affinity, prompt_caching]
  deployment_affinity_ttl_seconds: 600
  enable_tag_filtering: true
  enable_health_check_routing: true
  allowed_fails: 3
  retry_policy: {TimeoutErrorRetries: 1}
`),
  ).toEqual([]);
});
