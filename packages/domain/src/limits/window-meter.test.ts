import { expect, test } from "vitest";
import type { CounterState } from "./shared-counters.ts";
import { WindowMeter } from "./window-meter.ts";

const NOTHING: CounterState = { startMs: 0, remainingMs: 0, used: 0, slice: 0 };
const WINDOW_MS = 60_000;

function stateOf(fields: Partial<CounterState>): CounterState {
  return { startMs: 5_000, remainingMs: WINDOW_MS, used: 0, slice: 0, ...fields };
}

test("a store response without a window does not discard local counts", () => {
  const meter = new WindowMeter("k");
  for (let call = 0; call < 30; call += 1) meter.spendAlone(1, 100, 2, WINDOW_MS, 0);
  const asked = meter.ask(100, 1);
  meter.adopt(meter.ask(100, null), NOTHING, 0, 1);
  meter.abandon(asked);
  meter.roll(2);
  expect([meter.owed, meter.leftAlone(100, 2), meter.endsAtMs]).toEqual([30, 20, WINDOW_MS]);
});

test("owed usage is sent only once, and is owed again if the request fails", () => {
  const meter = new WindowMeter("k");
  meter.spendAlone(7, 100, 1, WINDOW_MS, 0);
  const asked = meter.ask(100, 1);
  expect([asked.question.owed, meter.ask(100, 1).question.owed, meter.leftAlone(100, 1)]).toEqual([7, 0, 93]);
  meter.abandon(asked);
  expect(meter.ask(100, 1).question.owed).toBe(7);
});

test("the granted amount sent to the store excludes a returned slice", () => {
  const meter = new WindowMeter("k");
  meter.adopt(meter.ask(1_000, 10), stateOf({ used: 60, slice: 50 }), 10, 0);
  expect(meter.ask(1_000, 10).question).toMatchObject({ startMs: 5_000, granted: 60, owed: 0 });
  meter.returnSlice();
  expect(meter.ask(1_000, null).question).toMatchObject({ granted: 60, owed: -50 });
  expect(meter.ask(1_000, 10).question).toMatchObject({ granted: 10, owed: 0 });
});

test("a request that fails after its window ends does not affect the next window", () => {
  const meter = new WindowMeter("k");
  meter.adopt(meter.ask(100, 1), stateOf({ used: 1 }), 1, 0);
  meter.charge(5, 10);
  const late = meter.ask(100, null);
  meter.roll(WINDOW_MS);
  meter.charge(3, WINDOW_MS + 1);
  meter.abandon(late);
  expect(meter.ask(100, null).question).toMatchObject({ owed: 3, granted: 0, startMs: 0 });
});

test("a later window in the store ends the local window and its slice", () => {
  const meter = new WindowMeter("k");
  meter.adopt(meter.ask(1_000, 1), stateOf({ used: 50, slice: 49 }), 1, 0);
  meter.adopt(meter.ask(1_000, 1), stateOf({ startMs: 65_001, used: 20, slice: 19 }), 1, 10);
  expect([meter.slice, meter.ask(1_000, 1).question.granted]).toEqual([19, 20]);
});

test("only one of several concurrent requests asks for a slice", () => {
  const meter = new WindowMeter("k");
  const [first, second] = [meter.ask(100, 1), meter.ask(100, 1)];
  expect([first.question.wantsSlice, second.question.wantsSlice]).toEqual([true, false]);
  meter.abandon(first);
  expect(meter.ask(100, 1).question.wantsSlice).toBe(true);
});
