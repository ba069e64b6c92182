import { loadValid } from "@tollgate/runtime/settings/load-for-test.ts";
import { expect, test } from "vitest";
import { createRuleBook } from "./router-rules.ts";

const rulesOf = (router: string) => {
  const rules = createRuleBook(loadValid(`router_settings: ${router}`).settings.router);
  return (name: string, configuredName = name) => rules(name, configuredName);
};

test("a group uses the router's rules unless the settings define rules for the group", () => {
  const rules = rulesOf(`
  routing_strategy: least-busy
  routing_groups:
    - {group_name: quick, models: [q1, q2], routing_strategy: latency-based-routing, routing_strategy_args: {ttl: 60, lowest_latency_buffer: 0.5}}
  retry_policy: {TimeoutErrorRetries: 1, RateLimitErrorRetries: 4}
  model_group_retry_policy: {q2: {TimeoutErrorRetries: 3, InternalServerErrorRetries: 0}}`);
  expect(rules("other")).toBe(rules("toString"));
  expect(rules("other")).toMatchObject({ strategy: "least-busy", retriesByClass: { timeout: 1, internal: null } });
  expect(rules("q1")).toMatchObject({
    strategy: "latency-based-routing",
    latencyTtlMs: 60_000,
    latencyBuffer: 0.5,
    latencyCount: 10,
    retriesByClass: { timeout: 1, rate_limit: 4 },
  });
  // The general policy applies to failure classes that the group's own policy doesn't define.
  expect(rules("q2").retriesByClass).toMatchObject({ timeout: 3, rate_limit: 4, internal: 0, unavailable: 0 });
  expect(rules("q2").router).toBe(rules("other").router);
  // A name that matches a pattern uses the pattern's rules.
  expect(rules("invented", "q1")).toBe(rules("q1"));
});

test("seconds in the settings become milliseconds in the routing rules, and error names become failure classes", () => {
  const { router } = rulesOf(`
  cooldown_time: 1.5
  retry_after: 2
  allowed_fails_policy: {BadRequestErrorAllowedFails: 7, ContentPolicyViolationErrorAllowedFails: 0}
  optional_pre_call_checks: [enforce_model_rate_limits]`)("any");
  expect(router).toMatchObject({
    cooldownMs: 1_500,
    leastRetryWaitMs: 2_000,
    numRetries: 2,
    maxUpstreamCalls: 6,
    enforcesRateLimits: true,
    allowedFailsByClass: { bad_request: 7, content_policy: 0, timeout: null, local: null },
  });
});
