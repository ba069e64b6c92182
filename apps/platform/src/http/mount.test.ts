import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startTestPlatform } from "../platform.fixture.ts";

test("answers health and readiness to anyone, with a request id", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const health = await platform.api("GET", "/api/health", { headers: { "x-request-id": "my-own.id" } });
  expect(health).toMatchObject({ status: 200, body: { status: "ok" } });
  expect(health.headers.get("x-request-id")).toBe("my-own.id");
  expect((await platform.api("GET", "/api/ready")).status).toBe(200);
});

test("an unknown path is 404 and a known one with another method 405, in the management error body", async ({
  database,
}) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const unknown = await platform.api("GET", "/api/nothing");
  expect(unknown).toMatchObject({ status: 404, body: { code: "NOT_FOUND", details: { reason: "UNKNOWN_PATH" } } });
  const wrong = await platform.api("POST", "/api/health", { body: {} });
  expect(wrong.status).toBe(405);
  expect(wrong.headers.get("allow")).toBe("GET");
});
