import { describe, expect, test } from "vitest";
import type { FailureClass } from "./failure-class.ts";
import { countRetries, waitBeforeRetry } from "./retry-rules.ts";
import { noRoutingOptions } from "./route-types.ts";
import { byClass, groupRules, makeTarget } from "./route-world.fixture.ts";

const failed = (kind: FailureClass, retryAfterMs: number | null = null) => ({ class: kind, retryAfterMs });
const target = makeTarget("d");

describe("number of retries per failure class", () => {
  test.each<[FailureClass, number, number]>([
    ["timeout", 2, 2],
    ["conflict", 2, 2],
    ["rate_limit", 2, 2],
    ["internal", 2, 2],
    ["unavailable", 2, 2],
    ["connection", 2, 2],
    ["authentication", 0, 2],
    ["bad_request", 0, 0],
    ["not_found", 0, 0],
    ["unprocessable", 0, 0],
    ["context_window", 0, 0],
    ["content_policy", 0, 0],
    ["local", 0, 0],
  ])("%s: %i with one deployment, %i with others available", (kind, alone, among) => {
    expect(countRetries(target, noRoutingOptions, failed(kind), 1, groupRules())).toBe(alone);
    expect(countRetries(target, noRoutingOptions, failed(kind), 2, groupRules())).toBe(among);
  });
});

test("the number of retries comes from the request, then the deployment, the policy, and the router", () => {
  const own = makeTarget("d", { numRetries: 1 });
  const rules = groupRules({ retriesByClass: byClass({ unavailable: 4 }) });
  const count = (asked: number | null, deployment: typeof target, policy: typeof rules) =>
    countRetries(deployment, { ...noRoutingOptions, numRetries: asked }, failed("unavailable"), 2, policy);
  expect(count(3, own, rules)).toBe(3);
  expect(count(null, own, rules)).toBe(1);
  expect(count(null, target, rules)).toBe(4);
  expect(count(null, target, groupRules())).toBe(2);
  expect(count(99, target, groupRules())).toBe(10);
});

test("a policy can also enable or disable retries for a class", () => {
  const rules = groupRules({ retriesByClass: byClass({ bad_request: 1, unavailable: 0, local: 5 }) });
  expect(countRetries(target, noRoutingOptions, failed("bad_request"), 1, rules)).toBe(1);
  expect(countRetries(target, { ...noRoutingOptions, numRetries: 3 }, failed("unavailable"), 2, rules)).toBe(0);
  // Local failures, before the network, are never retried.
  expect(countRetries(target, noRoutingOptions, failed("local"), 2, rules)).toBe(0);
});

describe("the wait before a retry on the same targets", () => {
  test.each([
    ["doubles", null, 0, 0, 500],
    ["doubles", null, 3, 0, 4_000],
    ["ends at eight seconds", null, 9, 0, 8_000],
    ["is what the upstream asks for", 20_000, 0, 0, 20_000],
    ["is not what an upstream asks for that asks too much", 60_001, 0, 0, 500],
    ["is never less than the setting", null, 0, 2_000, 2_000],
    ["is never less than the setting", 1_000, 0, 2_000, 2_000],
  ])("%s", (_, retryAfterMs, made, leastMs, waitMs) => {
    expect(waitBeforeRetry(failed("rate_limit", retryAfterMs), made, leastMs, () => 0)).toBe(waitMs);
    expect(waitBeforeRetry(failed("rate_limit", retryAfterMs), made, leastMs, () => 1)).toBe(waitMs + 750);
  });
});
