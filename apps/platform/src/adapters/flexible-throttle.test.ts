import { ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { connectRedis, type RedisConnection } from "./connect-redis.ts";
import { createThrottle } from "./flexible-throttle.ts";

const limits = { ...defaultPlatformSettings.limits, callsPerMinutePerUser: 3, loginsPerMinutePerAddress: 2 };

async function connect(url: string): Promise<RedisConnection> {
  const redis = connectRedis(url);
  onTestFinished(() => redis.close());
  await waitFor("the connection", () => redis.client.isReady);
  return redis;
}

test("processes that share a Redis server share a user's request counter", async ({ redis }) => {
  const one = createThrottle(limits, (await connect(redis.url)).client);
  const other = createThrottle(limits, (await connect(redis.url)).client);
  const who = { userId: 42, ip: "192.0.2.1" };
  expect(await one.take("read", who)).toMatchObject({ limit: 3, remaining: 2 });
  expect(await other.take("write", who)).toMatchObject({ remaining: 1 });
  expect(await one.take("read", { ...who, ip: "192.0.2.2" })).toMatchObject({ remaining: 0 });
  const refused = await other.take("read", who).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ManagementFailure);
  expect(refused).toMatchObject({ status: 429, reason: "RATE_LIMITED", facts: { details: { limit: 3, per: "user" } } });
  expect((refused as ManagementFailure).facts.retryAfterSeconds).toBeGreaterThan(0);
  // Other users and other request classes have separate counters.
  expect(await other.take("read", { ...who, userId: 43 })).toMatchObject({ remaining: 2 });
  expect(await one.take("login", { userId: null, ip: who.ip })).toMatchObject({ limit: 2, remaining: 1 });
});

test("while Redis is unavailable, each process counts requests separately and without delay", async () => {
  const away = connectRedis(`redis://127.0.0.1:${await findFreePort()}`);
  onTestFinished(() => away.close());
  const throttle = createThrottle(limits, away.client);
  const who = { userId: 7, ip: "192.0.2.1" };
  const startedMs = performance.now();
  for (const remaining of [2, 1, 0]) expect(await throttle.take("read", who)).toMatchObject({ remaining });
  await expect(throttle.take("read", who)).rejects.toThrow(ManagementFailure);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});

test("all IP addresses of one IPv6 network share a counter", async () => {
  const throttle = createThrottle(limits, null);
  const login = (ip: string) => throttle.take("login", { userId: null, ip });
  expect(await login("2001:db8:0:1::1")).toMatchObject({ remaining: 1 });
  expect(await login("2001:0DB8::1:ffff:0:0:2")).toMatchObject({ remaining: 0 });
  await expect(login("2001:db8:0:1:8000::")).rejects.toThrow(ManagementFailure);
  expect(await login("2001:db8:0:2::1")).toMatchObject({ remaining: 1 });
});
