import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleConnections } from "./upstream-clients.ts";

const REST_MS = 10;
const connection = (name: number) => ({ name, restsSinceMs: 0 });
const create = () => new IdleConnections<ReturnType<typeof connection>>(REST_MS);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("reuses the connection that became idle last, but never before its minimum idle time has passed", () => {
  const resting = create();
  resting.add(connection(1));
  vi.advanceTimersByTime(5);
  resting.add(connection(2));
  expect(resting.take()).toBeUndefined();
  vi.advanceTimersByTime(REST_MS * 2);
  expect(resting.take()?.name).toBe(2);
  expect(resting.take()?.name).toBe(1);
  expect(resting.take()).toBeUndefined();
});

test("in a blocked process, elapsed clock time alone does not make a connection reusable", () => {
  const resting = create();
  resting.add(connection(1));
  vi.setSystemTime(Date.now() + 1_000);
  expect(resting.take()).toBeUndefined();
  vi.advanceTimersByTime(REST_MS * 2);
  expect(resting.take()?.name).toBe(1);
});

test("in a delayed process, a connection becomes reusable only after the next read, and not when the timer fires", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const resting = create();
  resting.add(connection(1));
  vi.advanceTimersByTime(REST_MS);
  expect(resting.take()).toBeUndefined();
  await new Promise((resolve) => setImmediate(resolve));
  expect(resting.take()?.name).toBe(1);
});

test("releases the longest-idle connections first", () => {
  const resting = create();
  const startMs = Date.now();
  for (let index = 0; index < 4; index += 1) {
    resting.add(connection(index));
    vi.advanceTimersByTime(100);
  }
  expect(resting.takeOlderThan(startMs + 150).map(({ name }) => name)).toEqual([0, 1]);
  expect(resting.takeAll().map(({ name }) => name)).toEqual([2, 3]);
  expect(resting.take()).toBeUndefined();
});

test("for random sequences of operations, never loses a connection and never returns a connection twice or too early", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("add", "take"), fc.nat(15)), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (moves) => {
      const resting = create();
      const there = new Set<number>();
      let next = 0;
      const take = () => {
        const taken = resting.take();
        if (taken === undefined) return false;
        expect(there.delete(taken.name)).toBe(true);
        expect(Date.now() - taken.restsSinceMs).toBeGreaterThanOrEqual(REST_MS);
        return true;
      };
      for (const [move, passedMs] of moves) {
        vi.advanceTimersByTime(passedMs);
        if (move === "take") {
          take();
          continue;
        }
        there.add(next);
        resting.add(connection(next));
        next += 1;
      }
      vi.advanceTimersByTime(REST_MS * 2);
      while (take());
      expect(there.size).toBe(0);
    }),
  );
});
