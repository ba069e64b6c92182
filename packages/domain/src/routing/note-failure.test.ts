import { describe, expect, test } from "vitest";
import type { FailureClass } from "./failure-class.ts";
import { noteFailure } from "./note-failure.ts";
import type { GroupRules, RouteTarget } from "./route-types.ts";
import { byClass, groupRules, makeGroup, makeTarget, START_MS } from "./route-world.fixture.ts";

/** Calls one target of a group and returns the cooldown after each failure. */
function restsAfter(
  outcomes: readonly (FailureClass | "success")[],
  options: { size?: number; rules?: GroupRules; retryAfterMs?: number; target?: Partial<RouteTarget> } = {},
): number[] {
  const target = makeTarget("d", options.target);
  const others = Array.from({ length: (options.size ?? 2) - 1 }, (_, index) => makeTarget(`other-${index}`));
  const group = makeGroup([target, ...others], options.rules);
  return outcomes.map((outcome) => {
    if (outcome === "success") target.state.succeed(START_MS, 10, 100, 0, 5);
    if (outcome === "success") return 0;
    return noteFailure(group, target, { class: outcome, retryAfterMs: options.retryAfterMs ?? null }, START_MS, false);
  });
}

const times = (count: number, outcome: FailureClass | "success") => Array.from({ length: count }, () => outcome);

describe("default cooldown for", () => {
  test.each<[string, readonly (FailureClass | "success")[], { size?: number }, number]>([
    ["a rate limit where others can serve", ["rate_limit"], {}, 5_000],
    ["a rate limit alone", times(50, "rate_limit"), { size: 1 }, 0],
    ["a refused credential", ["authentication"], {}, 5_000],
    ["a refused credential alone", ["authentication"], { size: 1 }, 5_000],
    ["a model the upstream does not have", ["not_found"], { size: 1 }, 5_000],
    ["four failures of four", times(4, "unavailable"), {}, 0],
    ["five failures of five", times(5, "unavailable"), {}, 5_000],
    ["half of the calls", [...times(5, "success"), ...times(5, "internal")], {}, 0],
    ["more than half of the calls", [...times(5, "success"), ...times(6, "timeout")], {}, 5_000],
    ["nothing but failures alone", times(999, "unavailable"), { size: 1 }, 0],
    ["a thousand failures alone", times(1_000, "unavailable"), { size: 1 }, 5_000],
    ["a thousand failures and a success alone", ["success", ...times(1_000, "unavailable")], { size: 1 }, 0],
    ["requests that are wrong", times(50, "bad_request"), {}, 0],
    ["requests that cannot be processed", times(50, "unprocessable"), {}, 0],
    ["prompts that do not fit", times(50, "context_window"), {}, 0],
    ["refusals on policy grounds", times(50, "content_policy"), {}, 0],
    ["conflicts", times(50, "conflict"), {}, 0],
    ["what failed before the network", times(50, "local"), {}, 0],
    ["four failures to connect", times(4, "connection"), {}, 0],
    ["five failures to connect", times(5, "connection"), {}, 5_000],
    ["failures to connect alone", times(2_000, "connection"), { size: 1 }, 0],
    ["failures to connect with an answer between", [...times(4, "connection"), "success", "connection"], {}, 0],
  ])("%s", (_, outcomes, options, restMs) => {
    const rests = restsAfter(outcomes, options);
    expect(rests.at(-1)).toBe(restMs);
    expect(rests.slice(0, -1).every((each) => each === 0)).toBe(true);
  });
});

test("Retry-After replaces the default cooldown after a rate limit, up to a minute", () => {
  expect(restsAfter(["rate_limit"], { retryAfterMs: 60_000 })).toEqual([60_000]);
  expect(restsAfter(["rate_limit"], { retryAfterMs: 60_001 })).toEqual([5_000]);
  expect(restsAfter(["authentication"], { retryAfterMs: 1_000 })).toEqual([5_000]);
});

test("a deployment's own cooldown takes precedence over the router's", () => {
  expect(restsAfter(["authentication"], { target: { cooldownMs: 30_000 } })).toEqual([30_000]);
});

test("cooldowns can be disabled", () => {
  const rules = groupRules({ inRouter: { disableCooldowns: true } });
  expect(restsAfter(["authentication", ...times(10, "unavailable")], { rules }).every((ms) => ms === 0)).toBe(true);
});

test("with allowedFails set, the first failure beyond that number starts a cooldown, even for a single deployment", () => {
  const rules = groupRules({ inRouter: { allowedFails: 2 } });
  for (const size of [1, 3]) {
    expect(restsAfter(["authentication", "unavailable", "rate_limit"], { rules, size })).toEqual([0, 0, 5_000]);
  }
});

test("a failure class with its own limit uses that limit, even if failures of that class otherwise don't count", () => {
  const rules = groupRules({ inRouter: { allowedFailsByClass: byClass({ bad_request: 1, rate_limit: 2 }) } });
  expect(restsAfter(["bad_request", "bad_request"], { rules })).toEqual([0, 5_000]);
  expect(restsAfter(["rate_limit", "rate_limit", "rate_limit"], { rules })).toEqual([0, 0, 5_000]);
  expect(restsAfter(["authentication"], { rules })).toEqual([5_000]);
});

test("an unreachable deployment enters cooldown regardless of failure limits", () => {
  const rules = groupRules({ inRouter: { allowedFails: 99, allowedFailsByClass: byClass({ connection: 99 }) } });
  expect(restsAfter(times(5, "connection"), { rules })).toEqual([0, 0, 0, 0, 5_000]);
});

test("a client's unknown model name under a wildcard does not cause a cooldown", () => {
  expect(restsAfter(times(50, "not_found"), { target: { isNamedByClient: true } }).every((ms) => ms === 0)).toBe(true);
});

test("a failed trial starts another cooldown for any failure class except a bad request", () => {
  for (const [kind, restMs] of [
    ["unavailable", 5_000],
    ["connection", 5_000],
    ["bad_request", 0],
  ] as const) {
    const target = makeTarget("d");
    const group = makeGroup([target, makeTarget("other")]);
    target.state.cool(START_MS, 5_000);
    const isProbe = target.state.begin(START_MS + 5_000);
    expect(noteFailure(group, target, { class: kind, retryAfterMs: null }, START_MS + 5_000, isProbe)).toBe(restMs);
    target.state.end(isProbe);
    expect(target.state.canBegin(START_MS + 5_001)).toBe(restMs === 0);
  }
});

test("10,000 failures that requests caused change nothing about a target, unless the operator counts them", () => {
  const kinds = ["bad_request", "unprocessable", "context_window", "content_policy", "local"] as const;
  const target = makeTarget("d");
  const group = makeGroup([target, makeTarget("other")]);
  for (let index = 0; index < 10_000; index += 1) {
    const failure = { class: kinds[index % kinds.length] as FailureClass, retryAfterMs: null };
    expect(noteFailure(group, target, failure, START_MS, false)).toBe(0);
  }
  const { finished, failures, cooledUntilMs } = target.state;
  expect({ finished, failures, cooledUntilMs }).toEqual({ finished: 0, failures: 0, cooledUntilMs: 0 });
  // They don't hide real failures either.
  expect(
    times(5, "unavailable").map((kind) =>
      noteFailure(group, target, { class: kind as FailureClass, retryAfterMs: null }, START_MS, false),
    ),
  ).toEqual([0, 0, 0, 0, 5_000]);
});

test("a refused request shows that the target can be reached", () => {
  expect(restsAfter([...times(4, "connection"), "bad_request", "connection"]).at(-1)).toBe(0);
});

test("late failures of calls that started before a cooldown do not extend the cooldown", () => {
  const target = makeTarget("d");
  const group = makeGroup([target, makeTarget("other")]);
  for (let call = 0; call < 5; call += 1) {
    noteFailure(group, target, { class: "timeout", retryAfterMs: null }, START_MS, false);
  }
  for (let lateMs = 1_000; lateMs < 20_000; lateMs += 1_000) {
    noteFailure(group, target, { class: "timeout", retryAfterMs: null }, START_MS + lateMs, false);
  }
  expect(target.state.cooledUntilMs).toBe(START_MS + 5_000);
});
