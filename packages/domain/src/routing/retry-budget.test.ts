import fc from "fast-check";
import { expect, test } from "vitest";
import { RetryBudget } from "./retry-budget.ts";
import { START_MS } from "./route-world.fixture.ts";

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
