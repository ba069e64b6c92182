import { describe, expect, test } from "vitest";
import { CallRoute } from "./call-route.ts";
import { RouteRefusal } from "./choose-target.ts";
import type { FailureClass } from "./failure-class.ts";
import {
  type GroupRules,
  noRoutingOptions,
  type RouteGroup,
  type RouteTarget,
  type RoutingOptions,
} from "./route-types.ts";
import { groupRules, makeGroup, makeTarget, START_MS } from "./route-world.fixture.ts";

const failed = (kind: FailureClass, retryAfterMs: number | null = null) => ({ class: kind, retryAfterMs });

/** Creates groups by name, each with its targets. */
function makeWorld(groups: Readonly<Record<string, readonly RouteTarget[]>>, rules: GroupRules = groupRules()) {
  const byName = new Map(Object.entries(groups).map(([name, targets]) => [name, makeGroup(targets, rules, name)]));
  return {
    byName,
    start(
      target: string | null,
      requestedOptions: Partial<RoutingOptions> = {},
      options: { deadlineMs?: number; may?: string[] } = {},
    ) {
      const group = [...byName.values()][0] as RouteGroup<RouteTarget>;
      return new CallRoute<RouteTarget>({
        group,
        target: group.targets.find(({ id }) => id === target) ?? null,
        options: { ...noRoutingOptions, ...requestedOptions },
        deadlineMs: options.deadlineMs ?? START_MS + 900_000,
        findGroup: (name, isFromRequest) =>
          isFromRequest && options.may?.includes(name) === false ? null : (byName.get(name) ?? null),
      });
    },
  };
}

/** Returns the called targets, in order, if every call fails with this failure. */
function walk(route: CallRoute<RouteTarget>, kind: FailureClass | readonly FailureClass[], random = () => 0) {
  const calls: string[] = [];
  for (let step = 0; ; step += 1) {
    const next = route.next(failed(typeof kind === "string" ? kind : (kind[step] ?? "unavailable")), START_MS, random);
    if (next.kind === "stop") return calls;
    const { target, waitMs } = next;
    calls.push(waitMs === 0 ? target.id : `${target.id} after ${waitMs} ms`);
  }
}

describe("a target that cannot serve the request", () => {
  const unfit = { class: "bad_request", retryAfterMs: null, isUnfit: true } as const;

  test("is followed by each other target once, without the retry budget", () => {
    const world = makeWorld(
      { g: ["a", "b", "c"].map((id) => makeTarget(id)) },
      groupRules({ inRouter: { numRetries: 0 } }),
    );
    const group = world.byName.get("g") as RouteGroup<RouteTarget>;
    while (group.budget.take(START_MS));
    const route = world.start("a");
    expect(route.next(unfit, START_MS, () => 0)).toMatchObject({ target: { id: "b" }, waitMs: 0 });
    expect(route.next(unfit, START_MS, () => 0)).toMatchObject({ target: { id: "c" } });
    expect(route.next(unfit, START_MS, () => 0)).toEqual({ kind: "stop" });
    expect(route.attempts).toBe(3);
  });

  test("is not followed by targets that are excluded, or beyond the number of upstream calls", () => {
    const world = makeWorld({ g: ["a", "b", "c"].map((id) => makeTarget(id)) });
    const route = world.start("a");
    route.exclude((world.byName.get("g") as RouteGroup<RouteTarget>).targets.slice(0, 2));
    expect(route.next(unfit, START_MS, () => 0)).toMatchObject({ target: { id: "c" } });
    const few = makeWorld(
      { g: ["a", "b"].map((id) => makeTarget(id)) },
      groupRules({ inRouter: { maxUpstreamCalls: 1 } }),
    );
    expect(few.start("a").next(unfit, START_MS, () => 0)).toEqual({ kind: "stop" });
  });

  test("is not called again if the target that can serve the request fails", () => {
    const world = makeWorld(
      { g: ["a", "b", "c"].map((id) => makeTarget(id)) },
      groupRules({ inRouter: { numRetries: 3 } }),
    );
    for (const random of [0, 0.4, 0.99]) {
      const route = world.start("a");
      route.exclude((world.byName.get("g") as RouteGroup<RouteTarget>).targets.slice(0, 2));
      expect(route.next(unfit, START_MS, () => random)).toMatchObject({ target: { id: "c" } });
      expect(route.next(failed("unavailable"), START_MS, () => random)).toMatchObject({ target: { id: "c" } });
      expect(route.next(failed("unavailable"), START_MS, () => random)).toMatchObject({ target: { id: "c" } });
    }
  });

  test("does not count as an attempt if it was not called", () => {
    const route = makeWorld({ g: ["a", "b"].map((id) => makeTarget(id)) }).start("a");
    expect(route.skip(START_MS, () => 0)).toMatchObject({ target: { id: "b" }, isFallback: false });
    expect(route).toMatchObject({ attempts: 1, retries: 0 });
    expect(route.skip(START_MS, () => 0)).toEqual({ kind: "stop" });
  });
});

describe("retries", () => {
  test("call another deployment immediately, and a failed deployment only when no other is left", () => {
    const world = makeWorld({ g: ["a", "b"].map((id) => makeTarget(id)) });
    const route = world.start("a");
    expect(walk(route, "unavailable")).toEqual(["b", "a after 1000 ms"]);
    expect(route).toMatchObject({ attempts: 3, retries: 2, fallbacks: 0, maxRetries: 2 });
  });

  test("wait for the upstream's Retry-After if there is only one deployment", () => {
    const world = makeWorld({ g: [makeTarget("a")] });
    expect(world.start("a").next(failed("rate_limit", 3_000), START_MS, () => 0)).toMatchObject({ waitMs: 3_000 });
  });

  test("go only to another deployment after an authentication failure", () => {
    const rules = groupRules({ inRouter: { disableCooldowns: true, numRetries: 5 } });
    const world = makeWorld({ g: ["a", "b", "c"].map((id) => makeTarget(id)) }, rules);
    expect(walk(world.start("a"), "authentication")).toEqual(["b", "c"]);
  });

  test("skip deployments in cooldown", () => {
    const resting = makeTarget("b");
    resting.state.cool(START_MS, 5_000);
    const world = makeWorld({ g: [makeTarget("a"), resting] });
    expect(walk(world.start("a"), "unavailable")).toEqual(["a after 500 ms", "a after 1000 ms"]);
  });

  test("stop if the wait would exceed the call's deadline", () => {
    const world = makeWorld({ g: [makeTarget("a")] });
    const route = world.start("a", {}, { deadlineMs: START_MS + 1_000 });
    expect(walk(route, "unavailable")).toEqual(["a after 500 ms"]);
    expect(route.next(failed("unavailable"), START_MS + 1_000, () => 0)).toEqual({ kind: "stop" });
  });

  test("stop at the group's retry budget of three concurrent retries, and resume when a retry ends", () => {
    const world = makeWorld({ g: ["a", "b"].map((id) => makeTarget(id)) });
    const routes = Array.from({ length: 4 }, () => world.start("a"));
    const kinds = () => routes.map((route) => route.next(failed("unavailable"), START_MS, () => 0).kind);
    expect(kinds()).toEqual(["call", "call", "call", "stop"]);
    for (const route of routes) route.end();
    expect(world.start("a").next(failed("unavailable"), START_MS, () => 0).kind).toBe("call");
  });

  test("are never made after a local failure, which happens before the upstream is called", () => {
    const world = makeWorld({ g: ["a", "b"].map((id) => makeTarget(id)), h: [makeTarget("c")] });
    expect(walk(world.start("a", { fallbacks: ["h"], numRetries: 10 }), "local")).toEqual([]);
  });
});

describe("fallbacks", () => {
  const one = (id: string) => [makeTarget(id, { numRetries: 0 })];
  const fallbacks = (lists: Record<string, string[]>, more = {}) =>
    groupRules({ inRouter: { fallbacks: lists, ...more } });

  test("follow the list in order, but try a fallback group's own list before the remaining entries", () => {
    const rules = fallbacks({ g: ["h", "i"], h: ["j", "i"], j: ["g", "h"] });
    const world = makeWorld({ g: one("g1"), h: one("h1"), i: one("i1"), j: one("j1") }, rules);
    const route = world.start("g1");
    expect(walk(route, "unavailable")).toEqual(["h1", "j1", "i1"]);
    expect(route).toMatchObject({ attempts: 4, retries: 0, fallbacks: 3 });
  });

  test("have their own retries, with at most six upstream attempts per call", () => {
    const world = makeWorld(
      { g: [makeTarget("g1"), makeTarget("g2")], h: [makeTarget("h1"), makeTarget("h2")], i: [makeTarget("i1")] },
      fallbacks({ g: ["h", "i"] }, { maxUpstreamCalls: 50, numRetries: 1 }),
    );
    const route = world.start("g1");
    expect(walk(route, "unavailable")).toEqual(["g2", "h1", "h2", "i1", "i1 after 500 ms"]);
    expect(route.attempts).toBe(6);
  });

  test("stop at the maximum number of groups per call", () => {
    const world = makeWorld(
      { g: one("g1"), h: one("h1"), i: one("i1"), j: one("j1") },
      fallbacks({ g: ["h", "i", "j"] }, { maxFallbacks: 2 }),
    );
    expect(walk(world.start("g1"), "unavailable")).toEqual(["h1", "i1"]);
  });

  test("skip groups that do not exist, have no available target, or are not allowed for the caller", () => {
    const resting = makeTarget("i1");
    resting.state.cool(START_MS, 5_000);
    const world = makeWorld({ g: one("g1"), h: one("h1"), i: [resting], j: one("j1") });
    const route = world.start("g1", { fallbacks: ["nowhere", "h", "i", "j"] }, { may: ["i", "j"] });
    expect(walk(route, "unavailable")).toEqual(["j1"]);
    expect(route.fallbacks).toBe(1);
  });

  test("are chosen by the class of each failure", () => {
    const rules = groupRules({
      inRouter: {
        fallbacks: { "*": ["cheap"] },
        contextWindowFallbacks: { g: ["big"] },
        contentPolicyFallbacks: { big: ["polite"] },
      },
    });
    const world = makeWorld({ g: one("g1"), big: one("b1"), polite: one("p1"), cheap: one("c1") }, rules);
    expect(walk(world.start("g1"), ["context_window", "content_policy", "timeout"])).toEqual(["b1", "p1", "c1"]);
    expect(walk(world.start("g1"), ["context_window", "bad_request"])).toEqual(["b1"]);
  });

  test("come after the higher priority levels of the group", () => {
    const levels = [1, 2, 2, 3].map((order, index) => makeTarget(`g${index}`, { order, numRetries: 0 }));
    const world = makeWorld({ g: levels, h: one("h1") }, fallbacks({ g: ["h"] }));
    expect(walk(world.start("g0"), "context_window")).toEqual(["g1", "g3", "h1"]);
    expect(walk(world.start("g0", { disableFallbacks: true }), "context_window")).toEqual([]);
  });

  test("also serve a call for which no deployment could be chosen", () => {
    const world = makeWorld({ g: one("g1"), h: one("h1") }, fallbacks({ g: ["h"] }));
    world.byName.get("g")?.targets[0]?.state.cool(START_MS, 5_000);
    const route = world.start(null);
    expect(route.next(new RouteRefusal("cooling", 5_000), START_MS, () => 0)).toMatchObject({ isFallback: true });
    expect(route).toMatchObject({ attempts: 1, fallbacks: 1 });
    expect(world.start(null).next(new RouteRefusal("tags"), START_MS, () => 0)).toEqual({ kind: "stop" });
  });

  test("come after a higher priority level even if the first level has no free slot", () => {
    const full = makeTarget("g1", { order: 1, maxParallel: 1 });
    full.state.begin(START_MS);
    const world = makeWorld({ g: [full, makeTarget("g2", { order: 2 })] });
    expect(world.start(null).next(new RouteRefusal("busy"), START_MS, () => 0)).toMatchObject({ target: { id: "g2" } });
  });
});

describe("a target that turns out to be unusable", () => {
  test("is replaced without counting as a call", () => {
    const world = makeWorld({ g: ["a", "b", "c"].map((id) => makeTarget(id)) });
    const route = world.start("a");
    expect(route.next(failed("unavailable"), START_MS, () => 0)).toMatchObject({ target: { id: "b" } });
    expect(route.skip(START_MS, () => 0)).toMatchObject({ target: { id: "c" } });
    expect(route).toMatchObject({ attempts: 2, retries: 1 });
    // Only failed and unusable targets remain.
    expect(route.skip(START_MS, () => 0)).toEqual({ kind: "stop" });
    expect(route).toMatchObject({ attempts: 1, retries: 0 });
  });

  test("can be the first target", () => {
    const world = makeWorld({ g: ["a", "b"].map((id) => makeTarget(id)) });
    const route = world.start("a");
    expect(route.skip(START_MS, () => 0)).toMatchObject({ target: { id: "b" }, waitMs: 0 });
    expect(route).toMatchObject({ attempts: 1, retries: 0 });
    expect(route.skip(START_MS, () => 0)).toEqual({ kind: "stop" });
  });

  test("returns its retry to the budget", () => {
    const world = makeWorld({ g: ["a", "b"].map((id) => makeTarget(id)) });
    for (let call = 0; call < 10; call += 1) {
      const route = world.start("a");
      expect(route.next(failed("unavailable"), START_MS, () => 0).kind).toBe("call");
      expect(route.skip(START_MS, () => 0).kind).toBe("stop");
    }
  });
});
