import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startTestPlatform } from "../platform.fixture.ts";

test("serves health and readiness without authentication, with a request ID", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const health = await platform.api("GET", "/api/health", { headers: { "x-request-id": "my-own.id" } });
  expect(health).toMatchObject({ status: 200, body: { status: "ok" } });
  expect(health.headers.get("x-request-id")).toBe("my-own.id");
  expect((await platform.api("GET", "/api/ready")).status).toBe(200);
});

test("returns 404 for an unknown path and 405 for an unsupported method, in the management error format", async ({
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

test("looks up objects by path parameters of up to 200 characters, and returns 404 for unknown paths of any length", async ({
  database,
}) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const absent = { status: 404, body: { details: { reason: "MODEL_NOT_FOUND" } } };
  expect(await platform.api("GET", `/api/models/${"a".repeat(200)}`)).toMatchObject(absent);
  expect(await platform.api("GET", `/api/models/${"%2F".repeat(200)}`)).toMatchObject(absent);
  for (const path of [`/api/models/${"a".repeat(2_000)}`, "/api/models/"]) {
    expect(await platform.api("GET", path)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  }
});

test("a rate-limited response states the limit and when to retry", async ({ database }) => {
  const limits = { ...defaultPlatformSettings.limits, callsPerMinutePerUser: 2 };
  const platform = await startTestPlatform(database, { settings: { limits } });
  onTestFinished(() => platform.close());
  const ada = await platform.addUser();
  const call = (headers: Record<string, string> = {}) =>
    platform.api("GET", "/api/auth/me", { token: ada.token, headers });
  const first = await call();
  expect(first.headers.get("ratelimit-limit")).toBe("2");
  expect(first.headers.get("ratelimit-remaining")).toBe("1");
  // A rejected request also counts toward the limit.
  const foreign = await call({ "x-gw-organization": makePrefixedId("org", Date.now()) });
  expect(foreign).toMatchObject({ status: 404, body: { details: { reason: "UNKNOWN_OBJECT" } } });
  const refused = await call();
  expect(refused).toMatchObject({ status: 429, body: { code: "FORBIDDEN", details: { reason: "RATE_LIMITED" } } });
  expect(refused.headers.get("ratelimit-limit")).toBe("2");
  expect(refused.headers.get("ratelimit-remaining")).toBe("0");
  expect(Number(refused.headers.get("ratelimit-reset"))).toBeGreaterThan(0);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test.for([
  ["that is nested too deeply", `{"name":"x","more":${"[".repeat(65)}${"]".repeat(65)}}`],
  ["with unclosed nesting", `{"more":${"[".repeat(60_000)}`],
  ["with too many keys", `{${Array.from({ length: 10_001 }, (_, index) => `"${index}":0`).join()}}`],
  ["with a __proto__ key", `{"name":"x","more":{"__proto__":{"isAdmin":true}}}`],
  ["with a duplicate key", `{"name":"x","name":"y"}`],
] as const)("rejects a body %s before parsing it", async ([, body], { database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { token } = await platform.addUser();
  // This path accepts larger bodies than other paths.
  expect(await platform.api("POST", "/api/gw/messages", { token, body })).toMatchObject({
    status: 400,
    body: { code: "VALIDATION_ERROR", details: { reason: "INVALID_JSON" } },
  });
});

test("returns a client error for a NUL character in any text field", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { token } = await platform.addUser();
  const remove = { apiKey: "key_\0" };
  expect((await platform.api("POST", "/api/api-keys/remove", { token, body: remove })).status).toBe(400);
  const team = { teamId: "team_\0", memberId: 1 };
  expect((await platform.api("POST", "/api/gw/teams/remove-member", { token, body: team })).status).toBe(400);
  expect((await platform.api("GET", "/api/api-keys?search=a%00b", { token })).status).toBe(400);
  expect((await platform.api("GET", "/api/api-keys/key_%00", { token })).status).toBe(404);
  const message = { apiKey: "key_\0", model: "gpt", messages: [{ role: "user", content: "\0" }] };
  expect((await platform.api("POST", "/api/gw/messages", { token, body: message })).status).toBe(401);
});
