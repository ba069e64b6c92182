import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RouteStates } from "./route-states.ts";
import { START_MS } from "./route-world.fixture.ts";
import { RetryBudget, TargetState } from "./target-state.ts";

describe("a cooldown", () => {
  test("ends with one trial at a time, until a call succeeds", () => {
    const state = new TargetState("d");
    state.cool(START_MS, 5_000);
    expect(state.canBegin(START_MS + 4_999)).toBe(false);
    const trialMs = START_MS + 5_000;
    expect(state.canBegin(trialMs)).toBe(true);
    expect(state.begin(trialMs)).toBe(true);
    expect(state.canBegin(trialMs)).toBe(false);
    // The trial had no outcome, for example because the client disconnected, so the next call is the trial.
    state.end(true);
    expect(state.canBegin(trialMs)).toBe(true);
    const isProbe = state.begin(trialMs);
    state.answer(trialMs);
    expect(state.canBegin(trialMs)).toBe(true);
    expect(state.begin(trialMs)).toBe(false);
    state.end(isProbe);
    state.end(false);
    expect(state.inFlight).toBe(0);
  });

  test("is not ended by the success of an earlier call, and that success does not allow a second trial", () => {
    const state = new TargetState("d");
    const early = state.begin(START_MS);
    state.cool(START_MS, 5_000);
    state.succeed(START_MS + 100, 10, 100, 0, 5);
    expect(state.canBegin(START_MS + 200)).toBe(false);
    const isProbe = state.begin(START_MS + 5_000);
    state.end(early);
    expect(state.canBegin(START_MS + 5_001)).toBe(false);
    state.end(isProbe);
    expect(state.canBegin(START_MS + 5_002)).toBe(true);
  });

  test("is never shortened, and only cooldowns that start in this process are published", () => {
    const received: number[] = [];
    const states = new RouteStates({ onCooled: (state) => received.push(state.cooledUntilMs - START_MS) });
    const state = states.target("d");
    state.cool(START_MS, 5_000);
    state.cool(START_MS + 1_000, 1_000);
    state.coolElsewhere(START_MS + 9_000);
    state.coolElsewhere(START_MS + 2_000);
    expect(state.cooledUntilMs - START_MS).toBe(9_000);
    expect(received).toEqual([5_000]);
  });

  test("resets the failure counts after a success", () => {
    const state = new TargetState("d");
    for (let call = 0; call < 8; call += 1) state.fail(START_MS, "unavailable");
    state.cool(START_MS, 5_000);
    state.begin(START_MS + 5_000);
    state.succeed(START_MS + 5_000, 10, 100, 0, 5);
    expect([state.finished, state.failures, state.failuresOf("unavailable")]).toEqual([1, 0, 0]);
  });
});

describe("request and token counts", () => {
  test("cover the current minute, including the totals of other replicas", () => {
    const state = new TargetState("d");
    state.isShared = true;
    state.begin(START_MS);
    state.succeed(START_MS, 100, 10, 0, 5);
    const minute = Math.floor(START_MS / 60_000);
    expect(state.takeUnsent(START_MS)).toEqual({ requests: 1, tokens: 100 });
    state.begin(START_MS);
    state.setTotals(minute, 5, 700);
    expect(state.requestsThisMinute(START_MS)).toBe(6);
    expect(state.tokensThisMinute(START_MS)).toBe(700);
    state.setTotals(minute - 1, 50, 7_000);
    expect(state.requestsThisMinute(START_MS)).toBe(6);
    expect(state.requestsThisMinute(START_MS + 60_000)).toBe(0);
    expect(state.tokensThisMinute(START_MS + 60_000)).toBe(0);
  });

  test("that could not be sent are sent later, but only in the same minute", () => {
    const state = new TargetState("d");
    state.isShared = true;
    state.begin(START_MS);
    const minute = Math.floor(START_MS / 60_000);
    const { requests, tokens } = state.takeUnsent(START_MS);
    state.putBack(minute, requests, tokens);
    expect(state.takeUnsent(START_MS).requests).toBe(1);
    state.putBack(minute, requests, tokens);
    expect(state.takeUnsent(START_MS + 60_000).requests).toBe(0);
  });
});

describe("mean latency", () => {
  test("is per token, or to the first token for streams, over the last few calls", () => {
    const state = new TargetState("d");
    state.measureLatency(2);
    state.succeed(START_MS, 0, 9_000, 0, 1);
    state.succeed(START_MS, 0, 1_000, 0, 10);
    state.succeed(START_MS, 0, 3_000, 0, 10);
    state.succeed(START_MS, 0, 3_000, 500, 10);
    expect(state.meanLatency(START_MS, 1_000, false)).toBeCloseTo(0.2);
    expect(state.meanLatency(START_MS, 1_000, true)).toBeCloseTo(0.5);
    expect(state.meanLatency(START_MS + 1_001, 1_000, false)).toBe(0);
  });

  test("counts a timed-out call as a thousand seconds", () => {
    const state = new TargetState("d");
    state.measureLatency(10);
    state.fail(START_MS, "timeout");
    expect(state.meanLatency(START_MS, 1_000, false)).toBe(1_000);
    expect(state.meanLatency(START_MS, 1_000, true)).toBe(1_000);
  });
});

test("target states survive a new model list, except the states of removed deployments", () => {
  const states = new RouteStates();
  const kept = states.target("kept");
  const budget = states.budget("g");
  states.target("gone");
  states.keepOnly(new Set(["kept"]), new Set(["g"]));
  expect(states.target("kept")).toBe(kept);
  expect(states.budget("g")).toBe(budget);
  expect(states.find("gone")).toBeNull();
});

/** Reference implementation of the rule, which keeps every call in a list. */
class WrittenBudget {
  inFlight = 0;
  calls: number[] = [];
  retries: number[] = [];

  take(second: number): boolean {
    const isRecent = (at: number) => at > second - 10;
    const calls = this.calls.filter(isRecent).length;
    const retries = this.retries.filter(isRecent).length;
    const isAllowed = retries + 1 <= calls / 10 || (this.inFlight < 3 && retries < 50);
    if (isAllowed) this.retries.push(second);
    if (isAllowed) this.inFlight += 1;
    return isAllowed;
  }
}

interface World {
  readonly budget: RetryBudget;
  nowMs: number;
}

class Calls implements fc.Command<WrittenBudget, World> {
  readonly count: number;
  constructor(count: number) {
    this.count = count;
  }
  check(): boolean {
    return true;
  }
  run(model: WrittenBudget, world: World): void {
    for (let time = 0; time < this.count; time += 1) {
      model.calls.push(Math.floor(world.nowMs / 1_000));
      world.budget.noteCall(world.nowMs);
    }
  }
}

class Retries extends Calls {
  override run(model: WrittenBudget, world: World): void {
    for (let time = 0; time < this.count; time += 1) {
      expect(world.budget.take(world.nowMs)).toBe(model.take(Math.floor(world.nowMs / 1_000)));
    }
  }
}

class Ends extends Calls {
  override run(model: WrittenBudget, world: World): void {
    for (let time = 0; time < this.count && model.inFlight > 0; time += 1) {
      model.inFlight -= 1;
      world.budget.end();
    }
  }
}

class Passes extends Calls {
  override run(_: WrittenBudget, world: World): void {
    world.nowMs += this.count;
  }
}

test("retries stay within a tenth of the calls in the last ten seconds, or three concurrent retries in a quiet group", () => {
  const upTo = (max: number) => fc.integer({ min: 1, max });
  const commands = [
    upTo(60).map((count) => new Calls(count)),
    upTo(20).map((count) => new Retries(count)),
    upTo(10).map((count) => new Ends(count)),
    upTo(15_000).map((count) => new Passes(count)),
  ];
  fc.assert(
    fc.property(fc.commands(commands, { maxCommands: 80 }), (history) => {
      fc.modelRun(
        () => ({ model: new WrittenBudget(), real: { budget: new RetryBudget(), nowMs: START_MS } }),
        history,
      );
    }),
    { numRuns: 500 },
  );
});

test("setting the clock back neither drops calls nor grants extra retries", () => {
  const budget = new RetryBudget();
  for (let call = 0; call < 100; call += 1) budget.noteCall(START_MS);
  const taken = Array.from({ length: 12 }, () => budget.take(START_MS - 5_000)).filter(Boolean);
  expect(taken).toHaveLength(10);
});
