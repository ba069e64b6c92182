import fc from "fast-check";
import { expect, test } from "vitest";
import { CallRoute } from "./call-route.ts";
import { type FailureClass, failureClasses } from "./failure-class.ts";
import { findList } from "./fallback-plan.ts";
import { noteFailure } from "./note-failure.ts";
import {
  type FallbackLists,
  noRoutingOptions,
  type RouteGroup,
  type RouteStep,
  type RouteTarget,
  type RoutingOptions,
} from "./route-types.ts";
import { byClass, groupRules, makeGroup, makeTarget, START_MS, seededRandom } from "./route-world.fixture.ts";

const NAMES = ["a", "b", "sim/c", "d", "e"] as const;
const name = fc.constantFrom(...NAMES, "nowhere", "b-alias");
const listKey = fc.constantFrom(...NAMES, "c", "*");
const lists: fc.Arbitrary<FallbackLists> = fc.dictionary(listKey, fc.array(name, { maxLength: 4 }), { maxKeys: 5 });
const small = fc.nat({ max: 4 });

const target = fc.record({
  order: fc.option(fc.nat({ max: 2 })),
  numRetries: fc.option(fc.nat({ max: 5 })),
  /** -1 if the target is healthy; otherwise the remaining cooldown. At 0, the next call is a trial. */
  restMs: fc.constantFrom(-1, -1, -1, 0, 0, 400, 5_000),
  isBeingTried: fc.boolean(),
});

const world = fc.record({
  groups: fc.array(fc.array(target, { minLength: 1, maxLength: 3 }), {
    minLength: NAMES.length,
    maxLength: NAMES.length,
  }),
  fallbacks: lists,
  contextWindowFallbacks: lists,
  contentPolicyFallbacks: lists,
  defaultFallbacks: fc.array(name, { maxLength: 3 }),
  maxFallbacks: fc.nat({ max: 6 }),
  maxUpstreamCalls: fc.integer({ min: 1, max: 50 }),
  numRetries: fc.nat({ max: 20 }),
  policy: fc.dictionary(fc.constantFrom(...failureClasses), small, { maxKeys: 3 }),
  disableCooldowns: fc.boolean(),
  asked: fc.option(fc.array(name, { maxLength: 4 })),
  askedRetries: fc.option(fc.nat({ max: 20 })),
  disableFallbacks: fc.constantFrom(false, false, false, true),
  calls: fc.nat({ max: 200 }),
  /** Per step: the failure class, or `skip` if the target could not be used. */
  outcomes: fc.array(fc.constantFrom<FailureClass | "skip">(...failureClasses, "skip", "unavailable", "unavailable"), {
    minLength: 40,
    maxLength: 40,
  }),
  seed: fc.nat(),
});

/** Reference model of the rules for one call. */
class Journey {
  readonly visited: string[];
  failed: RouteTarget[];
  /** Group names left to try, in order. */
  pending: readonly string[] = [];
  called = 1;
  fallbacks = 0;

  constructor(group: RouteGroup<RouteTarget>, first: RouteTarget) {
    this.visited = [group.name];
    this.failed = [first];
  }
}

test("a call stays within its bounds for any settings and failures", () => {
  fc.assert(
    fc.property(world, (given) => {
      const { groups, options, find } = build(given);
      const random = seededRandom(given.seed);
      const first = groups[0] as RouteGroup<RouteTarget>;
      const begun = first.targets[0] as RouteTarget;
      const route = new CallRoute({
        group: first,
        target: begun,
        options,
        deadlineMs: START_MS + 60_000,
        findGroup: find,
      });
      const journey = new Journey(first, begun);
      let nowMs = START_MS;
      let group = first;
      let current = begun;
      let isProbe = begun.state.begin(nowMs);
      let lastKind: FailureClass = "local";
      let steps = 0;
      for (const outcome of given.outcomes) {
        steps += 1;
        let step: RouteStep<RouteTarget>;
        if (outcome === "skip") {
          journey.called -= 1;
          step = route.skip(nowMs, random);
        } else {
          lastKind = outcome;
          noteFailure(group, current, { class: outcome, retryAfterMs: null }, nowMs, isProbe);
          current.state.end(isProbe);
          isProbe = false;
          step = route.next({ class: outcome, retryAfterMs: null }, nowMs, random);
        }
        if (outcome === "skip") current.state.end(isProbe);
        if (step.kind === "stop") break;
        expect(["bad_request", "local"].includes(outcome) && step.isFallback).toBe(false);
        if (outcome === "local") expect(step.kind).toBe("stop");
        if (step.isFallback && step.group !== group)
          checkFallback(journey, step.group, group, lastKind, given, find, nowMs);
        else expect(step.group).toBe(group);
        checkTarget(journey, step, nowMs);
        nowMs += step.waitMs;
        expect(nowMs).toBeLessThan(START_MS + 60_000);
        ({ group, target: current } = step);
        // Other targets may have entered cooldown, so the caller asks the route again after waiting.
        isProbe = current.state.begin(nowMs);
        journey.failed.push(current);
        journey.called += 1;
        expect(journey.called).toBeLessThanOrEqual(Math.min(6, given.maxUpstreamCalls));
        expect(route.attempts).toBe(journey.called);
      }
      expect(steps).toBeLessThan(40);
      expect(route.fallbacks).toBeLessThanOrEqual(given.maxFallbacks);
      route.end();
    }),
    { numRuns: 3_000 },
  );
});

/**
 * Checks that no target in cooldown is called, and that no target is called twice while another target of the group is
 * available.
 */
function checkTarget(journey: Journey, step: RouteStep<RouteTarget> & { kind: "call" }, nowMs: number): void {
  expect(step.target.state.canBegin(nowMs)).toBe(true);
  if (!journey.failed.includes(step.target)) return;
  const fresh = step.group.targets.filter((each) => each.state.canBegin(nowMs) && !journey.failed.includes(each));
  expect(fresh.map(({ id }) => id)).toEqual([]);
}

/** Checks that the next group is the first named group that exists, is untried, and has an available target. */
function checkFallback(
  journey: Journey,
  entered: RouteGroup<RouteTarget>,
  left: RouteGroup<RouteTarget>,
  kind: FailureClass,
  given: Given,
  find: (name: string) => RouteGroup<RouteTarget> | null,
  nowMs: number,
): void {
  journey.pending = [...namesAfter(left.name, kind, given), ...journey.pending];
  for (;;) {
    const [next, ...rest] = journey.pending;
    journey.pending = rest;
    expect(next, "a group that nothing names").toBeDefined();
    const group = find(next as string);
    if (group === null || journey.visited.includes(group.name)) continue;
    journey.visited.push(group.name);
    if (!group.targets.some((each) => each.state.canBegin(nowMs))) continue;
    expect(entered.name).toBe(group.name);
    break;
  }
  journey.failed = [];
}

function namesAfter(group: string, kind: FailureClass, given: Given): readonly string[] {
  if (given.asked !== null) return given.asked;
  const general = findList(given.fallbacks, group) ?? given.defaultFallbacks;
  if (kind === "context_window") return findList(given.contextWindowFallbacks, group) ?? general;
  return kind === "content_policy" ? (findList(given.contentPolicyFallbacks, group) ?? general) : general;
}

type Given = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

function build(given: Given) {
  const rules = groupRules({
    retriesByClass: byClass(given.policy),
    inRouter: {
      numRetries: given.numRetries,
      maxRetriesPerRequest: 20,
      maxUpstreamCalls: given.maxUpstreamCalls,
      maxFallbacks: given.maxFallbacks,
      disableCooldowns: given.disableCooldowns,
      fallbacks: given.fallbacks,
      contextWindowFallbacks: given.contextWindowFallbacks,
      contentPolicyFallbacks: given.contentPolicyFallbacks,
      defaultFallbacks: given.defaultFallbacks,
    },
  });
  const groups = given.groups.map((targets, index) => makeGroup(targets.map(makeRested), rules, NAMES[index]));
  for (const group of groups) for (let call = 0; call < given.calls; call += 1) group.budget.noteCall(START_MS);
  const byName = new Map(groups.map((group) => [group.name, group]));
  const find = (asked: string) => byName.get(asked === "b-alias" ? "b" : asked) ?? null;
  const options: RoutingOptions = {
    ...noRoutingOptions,
    fallbacks: given.asked,
    numRetries: given.askedRetries,
    disableFallbacks: given.disableFallbacks,
  };
  return { groups, find, options };

  function makeRested({ order, numRetries, restMs, isBeingTried }: Given["groups"][number][number], index: number) {
    const made = makeTarget(`${index}`, { order, numRetries });
    if (restMs >= 0) made.state.cool(START_MS - 10_000, 10_000 + restMs);
    if (restMs === 0 && isBeingTried) made.state.begin(START_MS);
    return made;
  }
}
