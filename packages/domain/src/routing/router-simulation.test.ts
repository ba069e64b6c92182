import { describe, expect, test } from "vitest";
import { CallRoute } from "./call-route.ts";
import { chooseTarget, RouteRefusal } from "./choose-target.ts";
import type { FailureClass } from "./failure-class.ts";
import { noteFailure } from "./note-failure.ts";
import { noRoutingOptions, type RouteGroup, type RouteTarget } from "./route-types.ts";
import { makeGroup, makeTarget, START_MS, seededRandom } from "./route-world.fixture.ts";

const ANSWER_MS = 30;
const COOLDOWN_MS = 5_000;

/** A target's outcome at a given time: null is a success. */
type Behavior = (nowMs: number, random: () => number) => FailureClass | null;

interface Tally {
  admitted: number;
  succeeded: number;
  upstreamCalls: number;
  /** Times at which each target was called. */
  readonly calledAtMs: Map<string, number[]>;
}

/** Simulates sequential calls on a clock that only the calls advance. */
class Simulation {
  readonly tally: Tally = { admitted: 0, succeeded: 0, upstreamCalls: 0, calledAtMs: new Map() };
  readonly #group: RouteGroup<RouteTarget>;
  readonly #behaviors: Readonly<Record<string, Behavior>>;
  readonly #random: () => number;
  readonly #due = new Map<number, (() => void)[]>();
  #nowMs = START_MS;

  constructor(behaviors: Readonly<Record<string, Behavior>>, seed = 1) {
    this.#behaviors = behaviors;
    for (const id of Object.keys(behaviors)) this.tally.calledAtMs.set(id, []);
    this.#group = makeGroup(Object.keys(behaviors).map((id) => makeTarget(id)));
    this.#random = seededRandom(seed);
  }

  run(calls: number, perSecond: number): Tally {
    let admitted = 0;
    let arrivalMs = START_MS;
    for (; admitted < calls || this.#due.size > 0; this.#nowMs += 1) {
      for (const act of this.#due.get(this.#nowMs) ?? []) act();
      this.#due.delete(this.#nowMs);
      for (; arrivalMs <= this.#nowMs && admitted < calls; admitted += 1) {
        this.#admit();
        // Calls arrive at random, like those of many clients.
        arrivalMs += -Math.log(1 - this.#random()) * (1_000 / perSecond);
      }
    }
    return this.tally;
  }

  #admit(): void {
    this.tally.admitted += 1;
    this.#group.budget.noteCall(this.#nowMs);
    const choice = chooseTarget(this.#group, noRoutingOptions, this.#nowMs, this.#random);
    if (!(choice instanceof RouteRefusal)) this.#call(choice, null);
  }

  #call(target: RouteTarget, route: CallRoute<RouteTarget> | null): void {
    const { state } = target;
    this.tally.upstreamCalls += 1;
    this.tally.calledAtMs.get(target.id)?.push(this.#nowMs);
    const isProbe = state.begin(this.#nowMs);
    const failed = this.#behaviors[target.id]?.(this.#nowMs, this.#random) ?? null;
    this.#later(ANSWER_MS, () => {
      if (failed === null) {
        state.succeed(this.#nowMs, 100, ANSWER_MS, 0, 20);
        this.tally.succeeded += 1;
        route?.end();
      } else this.#goOn(target, failed, isProbe, route);
      state.end(isProbe);
    });
  }

  #goOn(target: RouteTarget, kind: FailureClass, isProbe: boolean, known: CallRoute<RouteTarget> | null): void {
    const failure = { class: kind, retryAfterMs: null };
    noteFailure(this.#group, target, failure, this.#nowMs, isProbe);
    const deadlineMs = this.#nowMs + 900_000;
    const start = { group: this.#group, target, options: noRoutingOptions, deadlineMs, findGroup: () => null };
    const route = known ?? new CallRoute(start);
    const step = route.next(failure, this.#nowMs, this.#random);
    if (step.kind === "call") this.#later(Math.ceil(step.waitMs), () => this.#call(step.target, route));
  }

  #later(delayMs: number, act: () => void): void {
    if (delayMs === 0) return act();
    const atMs = this.#nowMs + delayMs;
    const due = this.#due.get(atMs);
    if (due === undefined) this.#due.set(atMs, [act]);
    else due.push(act);
  }
}

const well: Behavior = () => null;
const successShare = ({ succeeded, admitted }: Tally) => succeeded / admitted;
const callsPerCall = ({ upstreamCalls, admitted }: Tally) => upstreamCalls / admitted;

describe("two deployments, one of which fails 15% of its calls at random", () => {
  test.each([10, 35, 50, 200, 1_000])(
    "serve nearly all of %i calls per second, with at most 1.1 upstream calls per call",
    (perSecond) => {
      const flaky: Behavior = (_, random) => (random() < 0.15 ? "unavailable" : null);
      const tally = new Simulation({ flaky, well }).run(100_000, perSecond);
      // 7.5% of the calls need a second attempt, so the 10% budget has headroom for chance.
      expect(callsPerCall(tally)).toBeGreaterThan(1.05);
      expect(callsPerCall(tally)).toBeLessThanOrEqual(1.1);
      expect(successShare(tally)).toBeGreaterThanOrEqual(0.999);
    },
  );
});

describe("with two deployments, one of which always fails until it recovers", () => {
  const recoversAtMs = START_MS + 200_000;
  const kinds: readonly FailureClass[] = ["unavailable", "connection", "rate_limit", "timeout", "authentication"];

  test.each(kinds)(
    "nearly all calls succeed, and the failed deployment is used again within its cooldown plus a second: %s",
    (kind) => {
      const broken: Behavior = (nowMs) => (nowMs < recoversAtMs ? kind : null);
      const tally = new Simulation({ broken, well }).run(100_000, 200);
      expect(successShare(tally)).toBeGreaterThanOrEqual(0.999);
      expect(callsPerCall(tally)).toBeLessThanOrEqual(1.1);
      const calledAtMs = tally.calledAtMs.get("broken") ?? [];
      const before = calledAtMs.filter((atMs) => atMs < recoversAtMs).length;
      // A few calls before the first cooldown, then one trial per cooldown.
      expect(before).toBeLessThan(60);
      const returnsAtMs = calledAtMs.find((atMs) => atMs >= recoversAtMs) ?? Number.POSITIVE_INFINITY;
      expect(returnsAtMs - recoversAtMs).toBeLessThanOrEqual(COOLDOWN_MS + 1_000);
      // Regular traffic also resumes: the target soon gets its normal share of the calls.
      const soon = calledAtMs.filter((atMs) => atMs >= returnsAtMs + ANSWER_MS + 5 && atMs < returnsAtMs + 10_000);
      expect(soon.length).toBeGreaterThan(800);
    },
  );
});

test("if half of all calls fail on every deployment, retries increase the number of upstream calls by at most 10%", () => {
  const bad: Behavior = (_, random) => (random() < 0.5 ? "internal" : null);
  const tally = new Simulation({ one: bad, other: bad }).run(50_000, 200);
  expect(callsPerCall(tally)).toBeLessThanOrEqual(1.1);
});
