import { describe, expect, test } from "vitest";
import { canChoose, chooseTarget, RouteRefusal } from "./choose-target.ts";
import { type GroupRules, noRoutingOptions, type RouteTarget, type RoutingOptions } from "./route-types.ts";
import { groupRules, makeGroup, makeTarget, START_MS, seededRandom } from "./route-world.fixture.ts";

/** Counts how often each target is chosen. */
function draw(
  targets: readonly RouteTarget[],
  rules?: GroupRules,
  options: Partial<RoutingOptions> = {},
  times = 20_000,
): Record<string, number> {
  const group = makeGroup(targets, rules);
  const random = seededRandom(7);
  const shares: Record<string, number> = {};
  for (let time = 0; time < times; time += 1) {
    const choice = chooseTarget(group, { ...noRoutingOptions, ...options }, START_MS, random);
    const name = choice instanceof RouteRefusal ? choice.reason : choice.id;
    shares[name] = (shares[name] ?? 0) + 1;
  }
  return shares;
}

/** Returns the targets that can be chosen. */
const drawn = (...args: Parameters<typeof draw>) => Object.keys(draw(args[0], args[1], args[2], 200)).sort();

function refusal(targets: readonly RouteTarget[], rules?: GroupRules, options: Partial<RoutingOptions> = {}) {
  const choice = chooseTarget(makeGroup(targets, rules), { ...noRoutingOptions, ...options }, START_MS, Math.random);
  if (!(choice instanceof RouteRefusal)) throw new Error(`chose ${choice.id}`);
  return choice;
}

const resting = (id: string, restMs = 5_000, changes: Partial<RouteTarget> = {}) => {
  const target = makeTarget(id, changes);
  target.state.cool(START_MS, restMs);
  return target;
};
const busy = (id: string, calls: number, changes: Partial<RouteTarget> = {}) => {
  const target = makeTarget(id, changes);
  for (let call = 0; call < calls; call += 1) target.state.begin(START_MS);
  return target;
};
const used = (id: string, tokens: number, changes: Partial<RouteTarget> = {}) => {
  const target = makeTarget(id, changes);
  target.state.succeed(START_MS, tokens, 100, 0, 5);
  return target;
};

describe("simple-shuffle", () => {
  test.each<[string, Partial<RouteTarget>[], number[]]>([
    ["weights", [{ weight: 3, rpm: 1 }, { weight: 1, rpm: 100 }, { rpm: 100 }], [0.75, 0.25, 0]],
    [
      "requests a minute where no weight is set",
      [
        { rpm: 900, tpm: 1 },
        { rpm: 100, tpm: 9 },
      ],
      [0.9, 0.1],
    ],
    ["tokens a minute where neither is set", [{ tpm: 200 }, { tpm: 800 }], [0.2, 0.8]],
    ["nothing", [{}, {}, {}, {}], [0.25, 0.25, 0.25, 0.25]],
    ["weights that are all nothing, which is evenly", [{ weight: 0, rpm: 9 }, { rpm: 1 }], [0.5, 0.5]],
  ])("selects by %s", (_, changes, shares) => {
    const counts = draw(changes.map((each, index) => makeTarget(`${index}`, each)));
    for (const [index, share] of shares.entries()) {
      expect(Math.abs((counts[index] ?? 0) / 20_000 - share)).toBeLessThan(0.015);
      if (share === 0) expect(counts[index]).toBeUndefined();
    }
  });

  test("selects by the weights of the remaining targets", () => {
    const counts = draw([makeTarget("a", { rpm: 3 }), makeTarget("b", { rpm: 1 }), resting("c", 5_000, { weight: 1 })]);
    expect(counts.c).toBeUndefined();
    expect(Math.abs((counts.a ?? 0) / 20_000 - 0.75)).toBeLessThan(0.015);
  });
});

describe("other routing strategies", () => {
  const by = (strategy: GroupRules["strategy"]) => groupRules({ strategy });

  test("least-busy selects the target with the fewest calls in flight, and breaks ties randomly", () => {
    expect(drawn([busy("a", 2), busy("b", 1), busy("c", 1), busy("d", 5)], by("least-busy"))).toEqual(["b", "c"]);
    const counts = draw([makeTarget("a"), makeTarget("b"), makeTarget("c")], by("least-busy"));
    for (const count of Object.values(counts)) expect(Math.abs(count / 20_000 - 1 / 3)).toBeLessThan(0.015);
  });

  test("usage-based selects the target with the fewest tokens among targets with capacity, and treats rates as limits", () => {
    const rules = by("usage-based-routing-v2");
    expect(drawn([used("a", 300), used("b", 200), used("c", 200)], rules)).toEqual(["b", "c"]);
    const full = [used("a", 300, { tpm: 310 }), used("b", 900, { tpm: 1_000 })];
    expect(drawn(full, rules, { inputTokens: 10 })).toEqual(["a"]);
    expect(drawn(full, rules, { inputTokens: 11 })).toEqual(["b"]);
    expect(drawn(full, rules, { inputTokens: 101 })).toEqual(["busy"]);
    expect(drawn([busy("a", 1, { rpm: 1 }), busy("b", 9, { rpm: 10 })], rules)).toEqual(["b"]);
    expect(refusal([busy("a", 1, { rpm: 1 })], rules).retryAfterMs).toBe(55_000);
  });

  test("cost-based selects the cheapest target with capacity, and treats an unknown price as very high", () => {
    const rules = by("cost-based-routing");
    const [cheap, expensive, unknown] = [{ priceSum: 5n }, { priceSum: 6n }, {}];
    expect(drawn([makeTarget("a", expensive), makeTarget("b", cheap), makeTarget("c", unknown)], rules)).toEqual(["b"]);
    expect(drawn([makeTarget("a", { priceSum: 10_000_000_000_001n }), makeTarget("b")], rules)).toEqual(["b"]);
    const full = busy("b", 1, { ...cheap, rpm: 1 });
    expect(drawn([makeTarget("a", expensive), full], rules)).toEqual(["a"]);
    // Under this strategy, rates are not limits.
    expect(drawn([busy("a", 1, { ...expensive, rpm: 1 }), full], rules)).toEqual(["b"]);
  });

  test("latency-based selects unmeasured targets first, then the fastest target for the call type", () => {
    const targets = ["slow", "quick", "near"].map((id) => makeTarget(id));
    const rules = groupRules({ strategy: "latency-based-routing", latencyBuffer: 0.5 });
    makeGroup(targets, rules);
    const [slow, quick, near] = targets as [RouteTarget, RouteTarget, RouteTarget];
    slow.state.succeed(START_MS, 0, 1_000, 0, 1);
    quick.state.succeed(START_MS, 0, 100, 0, 1);
    near.state.succeed(START_MS, 0, 150, 0, 1);
    slow.state.succeed(START_MS, 0, 100, 10, 1);
    quick.state.succeed(START_MS, 0, 100, 90, 1);
    near.state.succeed(START_MS, 0, 100, 90, 1);
    expect(drawn(targets, rules)).toEqual(["near", "quick"]);
    expect(drawn(targets, rules, { isStream: true })).toEqual(["slow"]);
    expect(drawn(targets, { ...rules, latencyBuffer: 0 })).toEqual(["quick"]);
    expect(drawn([...targets, makeTarget("new")], rules)).toEqual(["new"]);
  });
});

describe("a session's target", () => {
  const keeps = (
    target: RouteTarget,
    others: readonly RouteTarget[],
    options: Partial<RoutingOptions> = {},
    rules?: GroupRules,
  ) => canChoose(makeGroup([target, ...others], rules), target, { ...noRoutingOptions, ...options }, START_MS);

  test("is kept while it is available and fully supports the request", () => {
    const other = makeTarget("other");
    expect(keeps(makeTarget("a"), [other])).toBe(true);
    expect(keeps(resting("a"), [other])).toBe(false);
    expect(keeps(busy("a", 1, { maxParallel: 1 }), [other])).toBe(false);
    expect(keeps(makeTarget("a"), [other], { rank: ({ id }) => (id === "a" ? 1 : 0) })).toBe(false);
    expect(keeps(makeTarget("a"), [other], { regions: ["eu"] })).toBe(false);
    const enforced = groupRules({ inRouter: { enforcesRateLimits: true } });
    expect(keeps(busy("a", 5, { rpm: 5 }), [other], {}, enforced)).toBe(false);
  });

  test("is given up when a lower priority level is available again", () => {
    expect(keeps(makeTarget("a", { order: 2 }), [makeTarget("b", { order: 1 })])).toBe(false);
    expect(keeps(makeTarget("a", { order: 2 }), [resting("b", 5_000, { order: 1 })])).toBe(true);
    expect(keeps(makeTarget("a", { order: 1 }), [makeTarget("b", { order: 2 })])).toBe(true);
  });
});

describe("excluded targets", () => {
  test("include targets in cooldown; if all targets are in cooldown, Retry-After is the shortest remaining cooldown", () => {
    expect(drawn([resting("a"), makeTarget("b")])).toEqual(["b"]);
    expect(refusal([resting("a", 5_000), resting("b", 2_000)])).toMatchObject({
      reason: "cooling",
      retryAfterMs: 2_000,
    });
    expect(refusal([resting("a")])).toMatchObject({ reason: "cooling", class: "rate_limit" });
    expect(refusal([])).toMatchObject({ reason: "no_targets", class: "local" });
  });

  test("include a target whose trial call after a cooldown is in flight", () => {
    const target = makeTarget("a");
    target.state.cool(START_MS - 5_000, 5_000);
    expect(drawn([target])).toEqual(["a"]);
    target.state.begin(START_MS);
    expect(refusal([target])).toMatchObject({ reason: "cooling", retryAfterMs: 1_000 });
  });

  test("include unhealthy targets if health checks are enabled", () => {
    const sick = makeTarget("a");
    sick.state.isUnhealthy = true;
    expect(drawn([sick, makeTarget("b")])).toEqual(["a", "b"]);
    expect(drawn([sick, makeTarget("b")], groupRules({ inRouter: { usesHealthChecks: true } }))).toEqual(["b"]);
  });

  test("include targets in other or unknown regions", () => {
    const targets = [makeTarget("a", { region: "eu" }), makeTarget("b", { region: "us" }), makeTarget("c")];
    expect(drawn(targets, undefined, { regions: ["eu"] })).toEqual(["a"]);
    expect(drawn(targets, undefined, { regions: ["asia"] })).toEqual(["region"]);
  });

  test("include targets that cannot serve the request, and targets that serve it less well while a better one is free", () => {
    const rank = ({ id }: RouteTarget) => (id.startsWith("never") ? 2 : id.startsWith("less") ? 1 : 0);
    const able = ["a", "b"].map((id) => makeTarget(id));
    const never = makeTarget("never");
    expect(drawn([never, ...able], undefined, { rank })).toEqual(["a", "b"]);
    expect(drawn([never, makeTarget("less"), ...able], undefined, { rank })).toEqual(["a", "b"]);
    expect(drawn([never, makeTarget("less"), resting("a")], undefined, { rank })).toEqual(["less"]);
    expect(drawn([makeTarget("less"), busy("a", 1, { maxParallel: 1 })], undefined, { rank })).toEqual(["less"]);
    // What the request needs takes precedence over the priority levels.
    expect(drawn([makeTarget("less", { order: 1 }), makeTarget("a", { order: 2 })], undefined, { rank })).toEqual([
      "a",
    ]);
    expect(refusal([never], undefined, { rank })).toMatchObject({ reason: "unsupported", class: "local" });
    // A target in cooldown could serve it, so it is worth waiting.
    expect(refusal([never, resting("a", 2_000)], undefined, { rank })).toMatchObject({
      reason: "cooling",
      retryAfterMs: 2_000,
    });
  });

  test("include targets above the lowest priority level, unless that level is in cooldown", () => {
    const level = (id: string, order: number | null) => makeTarget(id, { order });
    expect(drawn([level("a", 2), level("b", 1), level("c", 1), level("d", null)])).toEqual(["b", "c"]);
    expect(drawn([level("a", 2), resting("b", 5_000, { order: 1 }), level("d", null)])).toEqual(["a"]);
  });

  test("include targets without a free slot; rates count only if they are enforced", () => {
    const enforced = groupRules({ inRouter: { enforcesRateLimits: true } });
    expect(drawn([busy("a", 2, { maxParallel: 2 }), busy("b", 1, { maxParallel: 2 })])).toEqual(["b"]);
    expect(refusal([busy("a", 2, { maxParallel: 2 })])).toMatchObject({ reason: "busy", retryAfterMs: 1_000 });
    const full = [busy("a", 5, { rpm: 5, weight: 1 }), makeTarget("b", { rpm: 5, weight: 1 })];
    expect(drawn(full)).toEqual(["a", "b"]);
    expect(drawn(full, enforced)).toEqual(["b"]);
  });

  test("include targets with too small a context window, at their rate limit, or without schema support if pre-call checks are enabled", () => {
    const rules = groupRules({ inRouter: { checksBeforeCall: true } });
    const small = makeTarget("small", { maxInputTokens: 100 });
    const large = makeTarget("large", { maxInputTokens: 1_000, supportsResponseSchema: false });
    expect(drawn([small, large], rules, { inputTokens: 101 })).toEqual(["large"]);
    expect(drawn([small, large], rules, { wantsResponseSchema: true })).toEqual(["small"]);
    const tooLong = refusal([small, large], rules, { inputTokens: 1_001 });
    expect(tooLong).toMatchObject({ reason: "context_window", class: "context_window" });
    const mixed = refusal([small, large], rules, { inputTokens: 101, wantsResponseSchema: true });
    expect(mixed).toMatchObject({ reason: "pre_call", class: "rate_limit" });
    expect(refusal([busy("a", 1, { rpm: 1 })], rules)).toMatchObject({ reason: "pre_call", retryAfterMs: 55_000 });
  });
});

describe("tags", () => {
  const rules = (matchesAnyTag = true) => groupRules({ inRouter: { filtersTags: true, matchesAnyTag } });
  const tagged = (id: string, ...tags: string[]) => makeTarget(id, { tags });
  const targets = [
    tagged("paid", "paid", "eu"),
    tagged("free", "free"),
    tagged("usual", "default"),
    makeTarget("plain"),
  ];

  test.each<[string, readonly string[], boolean, readonly string[]]>([
    ["one in common is enough", ["eu", "free"], true, ["free", "paid"]],
    ["all are needed where the settings say so", ["eu", "paid"], false, ["paid"]],
    ["all are needed, and none has all", ["eu", "free"], false, ["usual"]],
    ["no match leaves the default ones", ["gold"], true, ["usual"]],
    ["a call without tags goes to the default ones", [], true, ["usual"]],
  ])("%s", (_, tags, matchesAny, expected) => {
    expect(drawn(targets, rules(matchesAny), { tags })).toEqual(expected);
  });

  test("a call without tags can use any target if there is no default target; unknown tags match no target", () => {
    const some = targets.filter(({ id }) => id !== "usual");
    expect(drawn(some, rules())).toEqual(["free", "paid", "plain"]);
    expect(refusal(some, rules(), { tags: ["gold"] })).toMatchObject({ reason: "tags", class: "local" });
    expect(drawn(some, groupRules(), { tags: ["gold"] })).toEqual(["free", "paid", "plain"]);
  });

  test("if all matching targets are in cooldown, the caller gets Retry-After instead of a tag refusal", () => {
    const waiting = [resting("a", 3_000, { tags: ["paid"] }), resting("b", 9_000), tagged("free", "free")];
    expect(refusal(waiting, rules(), { tags: ["paid"] })).toMatchObject({ reason: "cooling", retryAfterMs: 3_000 });
  });
});
