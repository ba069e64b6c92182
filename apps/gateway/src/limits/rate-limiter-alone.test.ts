import { afterEach, expect, test } from "vitest";
import type { RateLimitReservation, Refusal } from "./limit.ts";
import { countTaken, limitedCaller, startLimiter, type TestLimiter } from "./limiter.fixture.ts";

const started: TestLimiter[] = [];

afterEach(() => {
  for (const limiter of started.splice(0)) limiter.close();
});

function start(processes: number, options: Parameters<typeof startLimiter>[1] = {}): TestLimiter {
  const limiter = startLimiter(null, { processes, usesOwnClock: true, ...options });
  started.push(limiter);
  return limiter;
}

async function takeTimes({ take }: TestLimiter, caller: Parameters<TestLimiter["take"]>[0], times: number, tokens = 1) {
  const outcomes = [];
  for (let call = 0; call < times; call += 1) outcomes.push(await take(caller, tokens));
  return outcomes;
}

test("without a store, each process counts synchronously against its share", async () => {
  const process = start(4);
  const caller = limitedCaller({ key: { rpm: 100, tpm: 1_000 } });
  const set = process.limiter.limitsOf(caller);
  if (set === null) throw new Error("the caller has limits");
  expect(process.limiter.take(set, "m", 1)).not.toBeInstanceOf(Promise);
  expect(countTaken(await takeTimes(process, caller, 100))).toBe(24);
});

test("the window starts with the first call, and the next window has the full limit", async () => {
  const process = start(1);
  const caller = limitedCaller({ key: { rpm: 3 } });
  await process.take(caller);
  process.clock.nowMs += 59_000;
  expect(countTaken(await takeTimes(process, caller, 5))).toBe(2);
  expect((await process.take(caller)) as Refusal).toMatchObject({ retryAfterMs: 1_000, current: 3 });
  process.clock.nowMs += 1_000;
  expect(countTaken(await takeTimes(process, caller, 5))).toBe(3);
});

test("if the limit is below the number of processes, each process admits calls only in some windows", async () => {
  const process = start(4);
  const caller = limitedCaller({ key: { rpm: 1 } });
  let admitted = 0;
  for (let minute = 0; minute < 40; minute += 1) {
    admitted += countTaken(await takeTimes(process, caller, 3));
    process.clock.nowMs += 60_000;
  }
  expect(admitted).toBe(10);
});

test("a call above the process's share is admitted less often, and a call above the limit is always refused", async () => {
  const process = start(2);
  const caller = limitedCaller({ key: { tpm: 1_000 } });
  expect(countTaken(await takeTimes(process, caller, 2, 800))).toBe(1);
  process.clock.nowMs += 90_000;
  expect((await process.take(caller, 800)).kind).toBe("refused");
  process.clock.nowMs += 6_000;
  expect((await process.take(caller, 800)).kind).toBe("taken");
  process.clock.nowMs += 600_000;
  expect((await process.take(caller, 1_001)).kind).toBe("refused");
});

test("unused tokens are returned only within the call's window, and excess tokens count in the current window", async () => {
  const process = start(1);
  const caller = limitedCaller({ key: { tpm: 1_000 } });
  const failed = (await process.take(caller, 1_000)) as RateLimitReservation;
  expect((await process.take(caller, 1)).kind).toBe("refused");
  process.limiter.finish(failed, 0);
  const long = (await process.take(caller, 400)) as RateLimitReservation;
  const old = (await process.take(caller, 600)) as RateLimitReservation;
  process.clock.nowMs += 60_000;
  expect((await process.take(caller, 100)).kind).toBe("taken");
  process.limiter.finish(old, 0);
  process.limiter.finish(long, 1_200);
  expect(await process.take(caller, 101)).toMatchObject({ kind: "refused", current: 900 });
  expect((await process.take(caller, 100)).kind).toBe("taken");
});

test("concurrent calls are limited to the process's share, which is at least one call", async () => {
  const process = start(3);
  const few = limitedCaller({ key: { maxParallel: 2 } });
  const [first, second] = await takeTimes(process, few, 2);
  expect([first?.kind, second?.kind]).toEqual(["taken", "refused"]);
  process.limiter.finish(first as RateLimitReservation, 0);
  process.limiter.finish(first as RateLimitReservation, 0);
  expect(countTaken(await takeTimes(process, few, 3))).toBe(1);
  expect(countTaken(await takeTimes(process, limitedCaller({ key: { maxParallel: 0 } }), 3))).toBe(0);
});

test("after a key's limit changes, the existing count still applies", async () => {
  const process = start(1);
  const caller = limitedCaller({ key: { rpm: 10 } });
  await takeTimes(process, caller, 10);
  const raised = { ...caller, limits: { ...caller.limits, key: { ...caller.limits.key, rpm: 12 } } };
  expect(countTaken(await takeTimes(process, raised, 10))).toBe(2);
});

test("a key's count is not lost when calls are made with thousands of other keys", async () => {
  const process = start(1);
  const caller = limitedCaller({ key: { rpm: 2 } });
  await process.take(caller);
  for (let key = 0; key < 5_000; key += 1) await process.take(limitedCaller({ key: { rpm: 1 } }));
  expect(countTaken(await takeTimes(process, caller, 3))).toBe(1);
  process.clock.nowMs += 60_000;
  for (let key = 0; key < 5_000; key += 1) process.limiter.limitsOf(limitedCaller({ key: { rpm: 1 } }));
  expect(countTaken(await takeTimes(process, caller, 3))).toBe(2);
  expect(countTaken(await takeTimes(process, { ...caller }, 3))).toBe(0);
});

test("applies a reloaded concurrency limit to keys without their own, and keeps what was counted", async () => {
  const process = start(1, { keyMaxParallel: 1 });
  const caller = limitedCaller({ key: { rpm: 3 } });
  expect(countTaken(await takeTimes(process, caller, 2))).toBe(1);
  process.limiter.reload({ windowMs: 60_000, slotLeaseMs: 660_000, keyMaxParallel: 5 });
  expect(countTaken(await takeTimes(process, caller, 5))).toBe(2);
  process.limiter.reload({ windowMs: 60_000, slotLeaseMs: 660_000, keyMaxParallel: null });
  expect(process.limiter.limitsOf(limitedCaller({}))).toBeNull();
});
