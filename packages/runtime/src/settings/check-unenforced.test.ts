import { expect, test } from "vitest";
import { loadValid, oneDeployment } from "./load-for-test.ts";

const reported = (text: string) =>
  loadValid(text).warnings.map(({ kind, line, message }) => `${kind} ${line} ${message}`);

test("warns about unenforced limits, prices, and features, and gives their location", () => {
  expect(
    reported(`gw_settings:
  max_budget: 100
  cost_margin: {openai: 0.05}
  cost_discount_config: {azure: 0.1}
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
    "advice 3 cost_margin",
    "advice 4 cost_discount",
    "advice 5 emulate_n",
    "advice 6 include_cost_in_streaming_usage",
    "advice 7 enable_json_schema_validation",
    "advice 8 allow_mock",
    "advice 10 exposeBalance",
    "advice 12 alerting",
    "advice 13 store_prompts_in_spend_logs",
  ]);
});

test("warns about unsupported router settings by name", () => {
  const text = `router_settings:
  mid_stream_fallback: true
  optional_pre_call_checks: [enforce_model_rate_limits, session_affinity, prompt_caching]
`;
  expect(reported(text)).toEqual(["advice 2 mid_stream_fallback", "advice 3 optional_pre_call_checks"]);
  const suggestion = loadValid(text).warnings[1]?.suggestion;
  expect(suggestion).toBe(
    "this version supports only enforce_model_rate_limits; ignored: session_affinity, prompt_caching",
  );
});

test("reports settings sections that have no effect yet", () => {
  const text = `assistants: {mode: passthrough, litellm_params: {model: openai/gpt-4o}}
`;
  expect(reported(text)).toEqual(["advice 1 assistants"]);
});

test("warns about unsupported prices and key settings of a deployment", () => {
  const text = oneDeployment("input_cost_per_pixel: 1e-07\n      configurable_clientside_auth_params: [api_key]");
  expect(reported(text)).toEqual(["advice 5 input_cost_per_pixel", "advice 6 configurable_clientside_auth_params"]);
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
  optional_pre_call_checks: [enforce_model_rate_limits]
  enable_tag_filtering: true
  enable_health_check_routing: true
  allowed_fails: 3
  retry_policy: {TimeoutErrorRetries: 1}
`),
  ).toEqual([]);
});
