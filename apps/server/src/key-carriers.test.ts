import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { type HostedPlatform, startHostedPlatform, test } from "./hosted-platform.fixture.ts";

function chat(hosted: HostedPlatform, headers: Record<string, string>) {
  return hosted.api("POST", "/v1/chat/completions", {
    headers,
    body: { model: "sim/echo", messages: [{ role: "user", content: "hello" }] },
  });
}

test("the strict profile rejects every bearer token with 401 and names the required header", async ({
  database,
  upstream,
}) => {
  const hosted = await startHostedPlatform(database, upstream.origin, "general_settings: { hosted: strict }");
  onTestFinished(() => hosted.stop());
  const person = await hosted.signUp();
  const key = await hosted.createKey(person);
  for (const bearer of [key.token, person.token]) {
    expect(await chat(hosted, { authorization: `Bearer ${bearer}` })).toMatchObject({
      status: 401,
      body: { error: { code: "wrong_auth_header", message: expect.stringContaining("x-gw-api-key") } },
    });
  }
  expect((await chat(hosted, { "x-gw-api-key": key.token })).status).toBe(200);
  expect((await chat(hosted, { "x-gw-api-key": key.token, authorization: `Bearer ${person.token}` })).status).toBe(200);
  expect((await chat(hosted, { "x-gw-api-key": person.token })).status).toBe(401);
  // The platform calls the gateway without an API key, so the header profile doesn't apply to these calls.
  const message = { model: "sim/echo", messages: [{ role: "user", content: "hello" }], apiKey: key.id };
  expect((await hosted.api("POST", "/api/gw/messages", { token: person.token, body: message })).status).toBe(200);
});

test("by default, an API key works as a bearer token, but a session token never does", async ({ hosted }) => {
  const person = await hosted.signUp();
  const key = await hosted.createKey(person);
  expect((await chat(hosted, { authorization: `Bearer ${key.token}` })).status).toBe(200);
  expect((await chat(hosted, { authorization: `Bearer ${person.token}` })).status).toBe(401);
  expect((await chat(hosted, { "x-gw-api-key": person.token })).status).toBe(401);
  expect((await hosted.api("GET", "/api/auth/me", { token: key.token })).status).toBe(401);
  expect((await hosted.api("GET", "/v1/models", { token: person.token })).status).toBe(401);
  expect(
    (await hosted.api("GET", "/v1/models", { headers: { cookie: `tollgate_session=${person.token}` } })).status,
  ).toBe(401);
});

test("the gateway applies a key change made through the API within a second", async ({ hosted }) => {
  const person = await hosted.signUp();
  const key = await hosted.createKey(person);
  const status = async () => (await chat(hosted, { "x-gw-api-key": key.token })).status;
  expect(await status()).toBe(200);
  const change = (path: string, body: object) => hosted.api("POST", path, { token: person.token, body });
  const within = { limitMs: 1_000 };
  await change("/api/api-keys/update", { token: key.id, disabled: true });
  await waitFor("the refusal", async () => (await status()) === 401, within);
  await change("/api/api-keys/update", { token: key.id, disabled: false });
  await waitFor("the key", async () => (await status()) === 200, within);
  await change("/api/api-keys/remove", { apiKey: key.id });
  await waitFor("the end", async () => (await status()) === 401, within);
});

test("a reload applies new limits immediately and keeps the counters of unchanged limits", async ({
  database,
  upstream,
}) => {
  const hosted = await startHostedPlatform(
    database,
    upstream.origin,
    "limits: { unauthenticatedRequestsPerMinute: 3 }",
  );
  onTestFinished(() => hosted.stop());
  const ask = async () => (await hosted.api("GET", "/api/models")).status;
  expect([await ask(), await ask()]).toEqual([200, 200]);
  await hosted.reload("limits: { unauthenticatedRequestsPerMinute: 3 }");
  expect([await ask(), await ask()]).toEqual([200, 429]);
  await hosted.reload("limits: { unauthenticatedRequestsPerMinute: 100 }");
  expect(await ask()).toBe(200);
});
