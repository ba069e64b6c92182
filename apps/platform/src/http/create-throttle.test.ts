import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, connect as openSocket, type Socket } from "node:net";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { SharedCounters } from "@tollgate/domain/limits/shared-counters.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { connectCounters } from "../adapters/connect-counters.ts";
import { createThrottle } from "./create-throttle.ts";

const limits = { ...defaultPlatformSettings.limits, callsPerMinutePerUser: 3, loginsPerMinutePerAddress: 2 };
const now = () => performance.now();

/** Connects as one more process to this Redis server, and waits for it longer than a platform does. */
async function connect(url: string, maxWaitMs = 60_000): Promise<SharedCounters> {
  const { counters, close } = connectCounters(url, randomUUID(), maxWaitMs);
  onTestFinished(close);
  await waitFor("the connection", async () => {
    await counters.probe();
    return true;
  });
  return counters;
}

test("processes that share a Redis server share a user's request counter", async ({ redis }) => {
  const one = createThrottle(limits, await connect(redis.url), now);
  const other = createThrottle(limits, await connect(redis.url), now);
  const who = { userId: 42, ip: "192.0.2.1" };
  expect(await one.take("read", who)).toMatchObject({ limit: 3, remaining: 2 });
  expect(await other.take("write", who)).toMatchObject({ remaining: 1 });
  expect(await one.take("read", { ...who, ip: "192.0.2.2" })).toMatchObject({ remaining: 0 });
  const refused = await other.take("read", who).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Failure);
  expect(refused).toMatchObject({
    status: 429,
    code: "RATE_LIMITED",
    facts: { publicDetails: { limit: 3, per: "user" } },
  });
  expect((refused as Failure).facts.retryAfterMs).toBeGreaterThan(0);
  // Other users and other request classes have separate counters.
  expect(await other.take("read", { ...who, userId: 43 })).toMatchObject({ remaining: 2 });
  expect(await one.take("login", { userId: null, ip: who.ip })).toMatchObject({ limit: 2, remaining: 1 });
});

test("while Redis is unavailable, each process counts requests separately and without delay", async () => {
  const away = connectCounters(`redis://127.0.0.1:${await findFreePort()}`, randomUUID());
  onTestFinished(() => away.close());
  const throttle = createThrottle(limits, away.counters, now);
  const who = { userId: 7, ip: "192.0.2.1" };
  const awakeTime = watchAwakeTime();
  const startedAtMs = performance.now();
  for (const remaining of [2, 1, 0]) expect(await throttle.take("read", who)).toMatchObject({ remaining });
  await expect(throttle.take("read", who)).rejects.toThrow(Failure);
  expect(awakeTime(startedAtMs, performance.now())).toBeLessThan(1_000);
});

test("all IP addresses of one IPv6 network share a counter", async () => {
  const throttle = createThrottle(limits, null, now);
  const login = (ip: string) => throttle.take("login", { userId: null, ip });
  expect(await login("2001:db8:0:1::1")).toMatchObject({ remaining: 1 });
  expect(await login("2001:0DB8::1:ffff:0:0:2")).toMatchObject({ remaining: 0 });
  await expect(login("2001:db8:0:1:8000::")).rejects.toThrow(Failure);
  expect(await login("2001:db8:0:2::1")).toMatchObject({ remaining: 1 });
});

test.for([
  ["login", 2, 60, "minute"],
  ["sign-up", 5, 3_600, "hour"],
] as const)(
  "the window of %s has %i requests and ends %i s after the first one",
  async ([rate, maximum, seconds, period]) => {
    let nowMs = 1_000;
    const throttle = createThrottle(limits, null, () => nowMs);
    const take = () => throttle.take(rate, { userId: null, ip: "192.0.2.1" });
    for (let left = maximum - 1; left >= 0; left -= 1) {
      expect(await take()).toEqual({ limit: maximum, remaining: left, resetSeconds: seconds });
    }
    nowMs += 20_500;
    // Refused requests don't make the window longer.
    for (const resetSeconds of [seconds - 20, seconds - 20]) {
      const refused = await take().catch((error: unknown) => error);
      expect(refused).toMatchObject({
        message: `Rate limit of ${maximum} requests per ${period} per IP address exceeded. Try again in ${resetSeconds} s.`,
        facts: {
          retryAfterMs: resetSeconds * 1_000,
          headers: { "ratelimit-remaining": "0", "ratelimit-reset": String(resetSeconds) },
          publicDetails: { limit: maximum, seconds, per: "address" },
        },
      });
    }
    nowMs += seconds * 1_000 - 20_500;
    expect(await take()).toEqual({ limit: maximum, remaining: maximum - 1, resetSeconds: seconds });
  },
);

test("every response states the exact remainder, and a window in Redis ends with its period", async ({ redis }) => {
  const many = { ...limits, openCallsPerMinutePerAddress: 1_000 };
  const one = createThrottle(many, await connect(redis.url), now);
  const other = createThrottle(many, await connect(redis.url), now);
  const who = { userId: null, ip: "192.0.2.7" };
  for (let left = 999; left >= 990; left -= 1) {
    const throttle = left % 2 === 0 ? one : other;
    expect(await throttle.take("read", who)).toMatchObject({ limit: 1_000, remaining: left });
  }
  expect(await one.take("sign-up", who)).toEqual({ limit: 5, remaining: 4, resetSeconds: 3_600 });
});

test("an outage starts a separate count, and the shared count continues after it", async ({ redis }) => {
  const counters = await connect(redis.url);
  let isAway = false;
  const ask: SharedCounters["ask"] = (...request) =>
    isAway ? Promise.reject(new Error("away")) : counters.ask(...request);
  const throttle = createThrottle(limits, { ask, probe: () => counters.probe() }, now);
  const take = () => throttle.take("read", { userId: 99, ip: "192.0.2.1" });
  expect(await take()).toMatchObject({ remaining: 2 });
  expect(await take()).toMatchObject({ remaining: 1 });
  isAway = true;
  for (const remaining of [2, 1, 0]) expect(await take()).toMatchObject({ remaining });
  await expect(take()).rejects.toThrow(Failure);
  isAway = false;
  expect(await take()).toMatchObject({ remaining: 0 });
  await expect(take()).rejects.toThrow(Failure);
});

test("if Redis accepts a request and doesn't respond, the process counts the request itself", async ({ redis }) => {
  const { port, pathname } = new URL(redis.url);
  const sockets: Socket[] = [];
  const relay = createServer((socket) => {
    const upstream = openSocket(Number(port), "127.0.0.1");
    sockets.push(socket, upstream);
    socket.pipe(upstream).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
  const counters = await connect(`redis://127.0.0.1:${(relay.address() as AddressInfo).port}${pathname}`, 1_000);
  const throttle = createThrottle(limits, counters, now);
  const who = { userId: 77, ip: "192.0.2.1" };
  expect(await throttle.take("read", who)).toMatchObject({ remaining: 2 });
  for (const socket of sockets) socket.unpipe();
  for (const remaining of [2, 1]) expect(await throttle.take("read", who)).toMatchObject({ remaining });
});
