import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { SessionPins } from "@tollgate/domain/routing/session-pins.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { startRedisServer } from "../limits/limiter.fixture.ts";
import { SharedRouting } from "./shared-routing.ts";

/** Long enough that a starved replica receives the cooldown before it ends. */
const COOLDOWN_MS = 15_000;

/** Starts a replica with its own view of the deployments. */
function startReplica(url: string, now: () => number = Date.now) {
  const shared = new SharedRouting(url, now);
  const states = new RouteStates(shared);
  const pins = new SessionPins(600_000, true);
  shared.start(states, pins);
  onTestFinished(() => shared.close());
  const counted = (id: string) => {
    const state = states.target(id);
    state.isShared = true;
    return state;
  };
  return { states, counted, pins, wake: () => shared.wake() };
}

/** Resolves once the replica `to` has received a new count from the replica `from`. */
async function exchange(from: ReturnType<typeof startReplica>, to: ReturnType<typeof startReplica>) {
  const name = `probe-${randomUUID()}`;
  const [sent, received] = [from.counted(name), to.counted(name)];
  // Counts again on every attempt, because the end of a minute resets the counts.
  await waitFor("an exchange", () => {
    sent.end(sent.begin(Date.now()));
    return received.requestsThisMinute(Date.now()) > 0;
  });
}

test("replicas share the start and end of a cooldown within one second", async ({ redis }) => {
  const [one, other] = [startReplica(redis.url), startReplica(redis.url)];
  const [here, there] = [one.states.target("az-1"), other.states.target("az-1")];
  const bystander = other.states.target("az-2");
  other.states.target("az-3").begin(Date.now());
  await exchange(one, other);

  const cooledAtMs = Date.now();
  here.cool(cooledAtMs, COOLDOWN_MS);
  await waitFor("the rest", () => !there.canBegin(Date.now()), { limitMs: 1_000 });
  // The cooldown is sent as its remaining time, so it ends later by at most the time that it took to arrive.
  expect(there.cooledUntilMs - here.cooledUntilMs).toBeLessThanOrEqual(Date.now() - cooledAtMs);
  expect(bystander.canBegin(Date.now())).toBe(true);

  await waitFor("the end of the rest", () => there.canBegin(Date.now()));
  expect(Date.now() - cooledAtMs).toBeGreaterThanOrEqual(COOLDOWN_MS - 50);
  there.end(there.begin(Date.now()));
  there.answer(Date.now());
  here.begin(Date.now());
  here.answer(Date.now());
  // A later exchange does not restore cooldowns that have ended.
  await exchange(one, other);
  await exchange(other, one);
  expect([here.cooledUntilMs, there.cooledUntilMs]).toEqual([0, 0]);
});

test("replicas share the deployments of sessions, also with a replica that starts later", async ({ redis }) => {
  const [one, other] = [startReplica(redis.url), startReplica(redis.url)];
  // Sessions are numbers, and other tests use the same Redis server.
  const [first, second] = [randomInt(2 ** 29), randomInt(2 ** 29) + 2 ** 29];
  one.pins.pin(first, "az-1", Date.now());
  await waitFor("the session", () => other.pins.find(first, Date.now()) === "az-1");
  // A deployment failed, so the session has moved.
  other.pins.release(first, "az-1");
  other.pins.pin(first, "az-2", Date.now());
  one.pins.pin(second, "az-3", Date.now());
  await waitFor("the move", () => one.pins.find(first, Date.now()) === "az-2");
  await waitFor("the second session", () => other.pins.find(second, Date.now()) === "az-3");
  expect(other.pins.find(first, Date.now())).toBe("az-2");
  const late = startReplica(redis.url);
  await waitFor("earlier sessions", () => late.pins.find(second, Date.now()) === "az-3");
  expect(late.pins.find(first, Date.now())).toBe("az-2");
});

test("a replica without calls exchanges state once per second, and immediately at its first call", async () => {
  const server = await startRedisServer();
  onTestFinished(() => server.kill());
  const [one, other] = [startReplica(server.url), startReplica(server.url)];
  await exchange(one, other);
  const asked = async () => {
    const [, calls = "0"] = /cmdstat_evalsha:calls=(\d+)/.exec(String(await server.run("INFO", "commandstats"))) ?? [];
    return Number(calls);
  };
  const before = await asked();
  for (let index = 0; index < 4; index += 1) await pause(1_000);
  // Both replicas, and one exchange each that was already due.
  expect((await asked()) - before).toBeLessThanOrEqual(10);

  const [here, there] = [one.counted("first"), other.counted("first")];
  here.begin(Date.now());
  one.wake();
  await waitFor("the count of the first call", () => {
    other.wake();
    return there.requestsThisMinute(Date.now()) > 0;
  });
});

test("requests and tokens per minute are counted across all replicas", async ({ redis }) => {
  const nowMs = Date.now();
  // The end of the minute would reset the counts during the test.
  const replicas = Array.from({ length: 3 }, () => startReplica(redis.url, () => nowMs));
  const states = replicas.map(({ counted }) => counted("shared-1"));
  for (const [index, state] of states.entries()) {
    for (let call = 0; call <= index; call += 1) {
      state.begin(nowMs);
      state.succeed(nowMs, 100, 10, 0, 5);
      state.end(false);
    }
  }
  await waitFor("the same totals everywhere", () =>
    states.every((state) => state.requestsThisMinute(nowMs) === 6 && state.tokensThisMinute(nowMs) === 600),
  );
  expect(states[0]?.requestsThisMinute(nowMs + 60_000)).toBe(0);
});

test("each process counts locally while Redis is unavailable, and shares active cooldowns when Redis returns", async () => {
  const server = await startRedisServer();
  onTestFinished(() => server.kill());
  const [one, other] = [startReplica(server.url), startReplica(server.url)];
  const [here, there] = [one.counted("d"), other.counted("d")];
  await exchange(one, other);

  server.freeze();
  const nowMs = Date.now();
  for (let call = 0; call < 1_000; call += 1) {
    here.begin(nowMs);
    here.end(false);
  }
  here.cool(nowMs, 30_000);
  expect(here.requestsThisMinute(nowMs)).toBe(1_000);
  expect(here.canBegin(Date.now())).toBe(false);
  expect(there.canBegin(Date.now())).toBe(true);

  server.thaw();
  await waitFor("the rest", () => !there.canBegin(Date.now()));
  expect(there.cooledUntilMs - here.cooledUntilMs).toBeLessThanOrEqual(Date.now() - nowMs);
});

test("an unreachable Redis server disables only sharing between replicas", () => {
  const { states, counted } = startReplica("redis://127.0.0.1:9");
  const state = counted("alone");
  state.begin(Date.now());
  states.target("alone").cool(Date.now(), 5_000);
  expect(state.canBegin(Date.now())).toBe(false);
  expect(state.canBegin(Date.now() + 5_000)).toBe(true);
});
