import { expect, test } from "vitest";
import { ADMIN_KEY, startApi, USER_KEY } from "../api.fixture.ts";

test("the liveness check responds without a key, even if the instance is not ready", async () => {
  await using rest = await startApi();
  Object.assign(rest.health, { database: "disconnected", isDraining: true, hasStarted: false });
  for (const path of ["/health/liveliness", "/health/liveness"]) {
    const response = await rest.get(path, { key: null });
    expect([response.status, await response.text()]).toEqual([200, '"I\'m alive!"']);
  }
});

test("readiness depends on the database", async () => {
  await using rest = await startApi();
  const readiness = async () => {
    const response = await rest.get("/health/readiness", { key: null });
    return [response.status, await response.json()];
  };
  expect(await readiness()).toEqual([200, { status: "healthy", db: "connected" }]);
  rest.health.database = "Not connected";
  expect(await readiness()).toEqual([200, { status: "healthy", db: "Not connected" }]);
  rest.health.database = "disconnected";
  expect(await readiness()).toEqual([503, { status: "unhealthy", db: "disconnected" }]);
});

test("an instance that is starting or draining is not ready", async () => {
  await using rest = await startApi();
  rest.health.isDraining = true;
  expect((await rest.get("/health/readiness", { key: null })).status).toBe(503);
  Object.assign(rest.health, { isDraining: false, hasStarted: false });
  expect((await rest.get("/health/readiness", { key: null })).status).toBe(503);
  const starting = await rest.get("/health/startup", { key: null });
  expect([starting.status, await starting.json()]).toEqual([503, { status: "starting" }]);
  rest.health.hasStarted = true;
  const started = await rest.get("/health/startup", { key: null });
  expect([started.status, await started.json()]).toEqual([200, { status: "started" }]);
});

test("readiness details require a key", async () => {
  await using rest = await startApi({ yaml: "gw_settings: { cache: true, cache_params: { type: memory } }" });
  expect((await rest.get("/health/readiness/details", { key: null })).status).toBe(401);
  expect(await rest.read("/health/readiness/details")).toEqual({
    status: "healthy",
    db: "connected",
    cache: "memory",
    callbacks: [],
    version: "0.2.0",
    log_level: "warn",
    is_draining: false,
  });
  rest.health.isDraining = true;
  const draining = await rest.get("/health/readiness/details");
  expect(draining.status).toBe(503);
  expect(await draining.json()).toMatchObject({ status: "unhealthy", is_draining: true });
});

test("only an administrator key can drain an instance", async () => {
  await using rest = await startApi();
  const drain = (key: string | null) => rest.get("/health/drain", { method: "POST", key });
  expect((await drain(null)).status).toBe(401);
  expect((await drain(USER_KEY)).status).toBe(403);
  expect((await rest.get("/health/readiness", { key: null })).status).toBe(200);
  const draining = await drain(ADMIN_KEY);
  expect([draining.status, await draining.json()]).toEqual([200, { status: "draining", in_flight: 3 }]);
  expect((await rest.get("/health/readiness", { key: null })).status).toBe(503);
});
