import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterEach, expect } from "vitest";
import type { RateLimitReservation, Refusal } from "./limit.ts";
import { countTaken, limitedCaller, startLimiter, type TestLimiter } from "./limiter.fixture.ts";

/** Long enough that a starved machine makes the calls of one window before it ends. */
const WINDOW_MS = 4_000;
const started: TestLimiter[] = [];

afterEach(() => {
  for (const limiter of started.splice(0)) limiter.close();
});

async function start(...args: Parameters<typeof startLimiter>): Promise<TestLimiter> {
  const limiter = startLimiter(...args);
  started.push(limiter);
  await limiter.ready();
  return limiter;
}

function takeTimes(processes: readonly TestLimiter[], caller: Parameters<TestLimiter["take"]>[0], times: number) {
  const takes = Array.from({ length: times }, (_, index) => processes[index % processes.length]?.take(caller));
  return Promise.all(takes.filter((take) => take !== undefined));
}

test("a caller without limits needs no Redis request", async ({ redis }) => {
  const { limiter, trips } = await start(redis.url);
  const caller = limitedCaller({});
  expect(limiter.limitsOf(caller)).toBeNull();
  expect(limiter.limitsOf(caller)).toBeNull();
  expect(trips()).toBe(0);
});

test.for([1, 7, 60, 300, 900])(
  "with a limit of %i per window, exactly that many of 1,000 concurrent calls are admitted",
  async (rpm, { redis }) => {
    const processes = [await start(redis.url), await start(redis.url)];
    const outcomes = await takeTimes(processes, limitedCaller({ key: { rpm } }), 1_000);
    expect(countTaken(outcomes)).toBe(rpm);
  },
);

test("far below the limit, calls are counted in memory, with one Redis request for many calls", async ({ redis }) => {
  const { limiter, trips, take } = await start(redis.url);
  const caller = limitedCaller({ key: { rpm: 100_000, tpm: 10_000_000 }, team: { rpm: 200_000 } });
  const first = await take(caller, 100);
  const set = limiter.limitsOf(caller);
  if (set === null) throw new Error("the caller has limits");
  for (let call = 0; call < 1_000; call += 1) expect(limiter.take(set, "m", 100)).not.toBeInstanceOf(Promise);
  expect([first.kind, trips()]).toEqual(["taken", 1]);
});

test("near the limit, every call queries Redis, so that no capacity is withheld from other processes", async ({
  redis,
}) => {
  const [one, other] = [await start(redis.url), await start(redis.url)];
  const caller = limitedCaller({ key: { rpm: 10 } });
  for (let call = 0; call < 5; call += 1) expect((await one.take(caller)).kind).toBe("taken");
  for (let call = 0; call < 5; call += 1) expect((await other.take(caller)).kind).toBe("taken");
  expect((await one.take(caller)).kind).toBe("refused");
  expect(one.trips()).toBe(6);
});

test("an unused slice becomes available to other processes", async ({ redis }) => {
  const [idle, busy] = [await start(redis.url), await start(redis.url)];
  const caller = limitedCaller({ key: { rpm: 1_000 } });
  expect((await idle.take(caller)).kind).toBe("taken");
  let admitted = 0;
  await waitFor("all but one call", async () => {
    const outcomes = await takeTimes([busy], caller, 1_000);
    admitted += countTaken(outcomes);
    return admitted === 999;
  });
  expect((await busy.take(caller)).kind).toBe("refused");
});

test("a refusal names the limit and its owner, and leaves other limits unchanged", async ({ redis }) => {
  const { take } = await start(redis.url);
  const caller = limitedCaller({ key: { rpm: 100, tpm: 1_000 }, team: { rpm: 2 }, organization: { tpm: 5_000 } });
  const startedAtMs = Date.now();
  expect((await take(caller, 100)).kind).toBe("taken");
  expect((await take(caller, 100)).kind).toBe("taken");
  const before = Date.now();
  const refusal = (await take(caller, 100)) as Refusal;
  expect(refusal).toMatchObject({
    kind: "refused",
    type: "requests",
    scope: "team",
    limit: 2,
    current: 2,
    ownerName: "Search",
  });
  const after = Date.now();
  // The window of a minute starts with the first call. Redis rounds its times to milliseconds.
  expect(refusal.retryAfterMs).toBeGreaterThanOrEqual(60_000 - (after - startedAtMs) - 1);
  expect(refusal.retryAfterMs).toBeLessThanOrEqual(60_000);
  expect(refusal.resetAtMs - refusal.retryAfterMs).toBeGreaterThanOrEqual(before - 1);
  expect(refusal.resetAtMs - refusal.retryAfterMs).toBeLessThanOrEqual(after + 1);
  const counts = await countsOf(redis.client, caller.organizationId);
  // The first call also took a slice of four requests, and the second call used one of them.
  expect(counts).toEqual({
    "api_key:requests": 1 + 4,
    "api_key:tokens": 200,
    "organization:tokens": 200,
    "team:requests": 2,
  });

  const single = limitedCaller({ key: { rpm: 10, tpm: 50 } });
  expect(await take(single, 51)).toMatchObject({ kind: "refused", type: "tokens", current: 0 });
  expect(await countsOf(redis.client, single.organizationId)).toEqual({});
});

test("a model limit applies only to calls to that model, and the key's limit is checked before the team's", async ({
  redis,
}) => {
  const { take } = await start(redis.url);
  const caller = limitedCaller({
    key: { modelRpm: { small: 1 } },
    team: { modelRpm: { small: 2 }, modelTpm: { large: 10 } },
  });
  expect((await take(caller, 1, "small")).kind).toBe("taken");
  expect(await take(caller, 1, "small")).toMatchObject({ scope: "model_per_key", type: "requests" });
  expect(await take(caller, 11, "large")).toMatchObject({ scope: "model_per_team", type: "tokens", limit: 10 });
  for (let call = 0; call < 5; call += 1) expect((await take(caller, 100, "other")).kind).toBe("taken");
});

test("users and organizations are separate scopes", async ({ redis }) => {
  const { take } = await start(redis.url);
  const ofUser = limitedCaller({ user: { rpm: 1, tpm: null } });
  await take(ofUser);
  expect(await take(ofUser)).toMatchObject({ scope: "user" });
  const ofOrganization = limitedCaller({ organization: { tpm: 5 } });
  await take(ofOrganization, 5);
  expect(await take(ofOrganization, 1)).toMatchObject({ scope: "organization", type: "tokens", current: 5 });
});

test("the window starts with the first call, and the next window has the full limit", async ({ redis }) => {
  const processes = [await start(redis.url, { windowMs: WINDOW_MS }), await start(redis.url, { windowMs: WINDOW_MS })];
  const caller = limitedCaller({ key: { rpm: 50 } });
  expect(countTaken(await takeTimes(processes, caller, 60))).toBe(50);
  const refusal = (await processes[0]?.take(caller)) as Refusal;
  expect(refusal.retryAfterMs).toBeLessThanOrEqual(WINDOW_MS);
  const first = await waitFor("the next window", async () => {
    const outcome = await processes[0]?.take(caller);
    return outcome?.kind === "taken";
  });
  expect(first).toBe(true);
  expect(countTaken(await takeTimes(processes, caller, 60))).toBe(49);
});

test("tokens are corrected when a call ends, so that a long response counts in full and a failed call counts as zero", async ({
  redis,
}) => {
  const [one, other] = [await start(redis.url), await start(redis.url)];
  const caller = limitedCaller({ key: { tpm: 1_000 } });
  const long = (await one.take(caller, 100)) as RateLimitReservation;
  one.limiter.finish(long, 950);
  one.limiter.finish(long, 950);
  await waitFor("the correction", async () => (await other.take(caller, 60)).kind === "refused");

  const failing = limitedCaller({ key: { tpm: 1_000 } });
  const failed = (await one.take(failing, 1_000)) as RateLimitReservation;
  expect((await other.take(failing, 1)).kind).toBe("refused");
  one.limiter.finish(failed, 0);
  await waitFor("what was given back", async () => (await other.take(failing, 1_000)).kind === "taken");
});

test("a call that reserves no tokens is still refused if the token limit is exhausted", async ({ redis }) => {
  const { limiter, take } = await start(redis.url);
  const caller = limitedCaller({ key: { tpm: 100 } });
  limiter.finish((await take(caller, 0)) as RateLimitReservation, 100);
  await waitFor("the correction", async () => (await take(caller, 0)).kind === "refused");
});

test("the concurrency limit is exact across processes, and each call releases its slot when it ends", async ({
  redis,
}) => {
  const processes = [await start(redis.url), await start(redis.url)];
  const caller = limitedCaller({ key: { maxParallel: 5 } });
  const outcomes = await takeTimes(processes, caller, 100);
  const held = outcomes.filter((outcome) => outcome.kind === "taken");
  expect(held).toHaveLength(5);
  expect(await processes[1]?.take(caller)).toMatchObject({
    type: "max_parallel_requests",
    scope: "api_key",
    current: 5,
    retryAfterMs: 1_000,
  });
  const [first] = held;
  if (first === undefined) throw new Error("no call was admitted");
  processes[outcomes.indexOf(first) % 2]?.limiter.finish(first, 0);
  await waitFor("the slot that became free", async () => (await processes[1]?.take(caller))?.kind === "taken");
  expect(countTaken(await takeTimes(processes, caller, 10))).toBe(0);
});

test("a call is never refused because of the slot of an earlier, finished call", async ({ redis }) => {
  const { limiter, take } = await start(redis.url);
  const caller = limitedCaller({ team: { maxParallel: 1 } });
  for (let call = 0; call < 200; call += 1) {
    const taken = await take(caller);
    expect(taken.kind).toBe("taken");
    limiter.finish(taken as RateLimitReservation, 1);
  }
});

test("the slots of a lost process are released when their lease expires", async ({ redis }) => {
  const lost = await start(redis.url, { slotLeaseMs: WINDOW_MS });
  const other = await start(redis.url, { slotLeaseMs: WINDOW_MS });
  const caller = limitedCaller({ key: { maxParallel: 2 } });
  expect(countTaken([await lost.take(caller), await lost.take(caller), await other.take(caller)])).toBe(2);
  lost.close();
  const taken = await waitFor("the end of the lease", async () => {
    const outcome = await other.take(caller);
    return outcome.kind === "taken" && outcome;
  });
  expect(taken.kind).toBe("taken");
});

test("a key without a concurrency limit gets the default limit", async ({ redis }) => {
  const { take } = await start(redis.url, { keyMaxParallel: 1 });
  const caller = limitedCaller({});
  expect((await take(caller)).kind).toBe("taken");
  expect(await take(caller)).toMatchObject({ type: "max_parallel_requests", limit: 1 });
});

test("two processes never admit more tokens than the limit, even if half of the calls are long", async ({ redis }) => {
  const limit = 200_000;
  const processes = [await start(redis.url), await start(redis.url)];
  const caller = limitedCaller({ key: { tpm: limit } });
  let admittedTokens = 0;
  const call = async (process: TestLimiter, index: number) => {
    const estimate = index % 2 === 0 ? 120 : 900;
    const outcome = await process.take(caller, estimate);
    if (outcome.kind === "refused") return;
    admittedTokens += estimate;
    process.limiter.finish(outcome, estimate);
  };
  await Promise.all(processes.flatMap((process) => Array.from({ length: 500 }, (_, index) => call(process, index))));
  expect(admittedTokens).toBeLessThanOrEqual(limit);
  expect(admittedTokens).toBeGreaterThan(limit * 0.9);
});

/** Returns an organization's counts in the store, by scope and type. */
async function countsOf(
  client: { keys(pattern: string): Promise<string[]>; hGet(key: string, field: string): Promise<string | null> },
  organizationId: string | null,
) {
  const keys = await client.keys(`tollgate:limits:{${organizationId}}:*`);
  const counts: Record<string, number> = {};
  for (const key of keys) {
    const parts = key.slice(key.indexOf("}") + 2).split(":");
    counts[`${parts[0]}:${parts.at(-1)}`] = Number(await client.hGet(key, "u"));
  }
  return counts;
}
