import { blockByOperator } from "@tollgate/db/teams/block-by-operator.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { makeApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { type HostedPlatform, type Person, test } from "./hosted-platform.fixture.ts";

const USD = 1_000_000_000n;
const messages = [{ role: "user", content: "hello" }];

const send = (hosted: HostedPlatform, { token }: Person, fields: object) =>
  hosted.api("POST", "/api/gw/messages", { token, body: { model: "metered", messages, ...fields } });

async function addCustomer(hosted: HostedPlatform, credit = USD) {
  const person = await hosted.signUp();
  if (credit > 0n) await hosted.addCredit(person, credit);
  return { person, key: await hosted.createKey(person) };
}

test("a message calls a model with a key (given as ID or secret), is charged to the key's organization, and is logged", async ({
  hosted,
  upstream,
}) => {
  const { person, key } = await addCustomer(hosted);
  upstream.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }));
  for (const apiKey of [key.id, key.token]) {
    const answer = await send(hosted, person, { apiKey, temperature: 0.5 });
    expect(answer).toMatchObject({ status: 200, body: { object: "chat.completion", model: "metered" } });
    expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe("18000");
    expect(answer.headers.get("content-type")).toBe("application/json");
  }
  const sent = upstream.requests.at(-1)?.json();
  expect(sent).toMatchObject({ model: "m1", messages, temperature: 0.5 });
  expect(sent).not.toHaveProperty("apiKey");
  const logs = await waitFor("two settled calls", async () => {
    const { body } = await hosted.api("GET", "/api/gw/logs", { token: person.token });
    return body.data.length === 2 ? body.data : null;
  });
  expect(logs).toEqual(
    Array(2).fill(
      expect.objectContaining({ endpoint: "platform.messages", apiKeyId: key.id, cost: 18_000, class: "succeeded" }),
    ),
  );
  const { body } = await hosted.api("GET", "/api/balance", { token: person.token });
  expect(body.balance).toBe(Number(USD) - 2 * 18_000);
});

test("a message without credit gets 402 with the available and required amounts and makes no upstream call", async ({
  hosted,
  upstream,
}) => {
  const { person, key } = await addCustomer(hosted, 0n);
  const before = upstream.requests.length;
  const answer = await send(hosted, person, { apiKey: key.id, max_tokens: 10 });
  expect(answer).toMatchObject({
    status: 402,
    body: {
      code: "QUOTA_EXCEEDED",
      error:
        "Not enough credits: available 0.000000000 USD. That covers 0 output tokens, because the input alone can cost more.",
      details: { reason: "OUT_OF_CREDIT", scope: "organization", available: 0, held: 0 },
    },
  });
  expect(answer.body.details.required).toBeGreaterThan(20_000);
  expect(upstream.requests).toHaveLength(before);
});

test("a message that exceeds a budget gets 402 with the budget's scope", async ({ hosted }) => {
  const { person } = await addCustomer(hosted);
  const key = await hosted.createKey(person, { budget: { limit: 1, period: "monthly" } });
  expect(await send(hosted, person, { apiKey: key.id })).toMatchObject({
    status: 402,
    body: { code: "QUOTA_EXCEEDED", details: { reason: "OUT_OF_CREDIT", scope: "key" } },
  });
});

test("a message with a blocked team's key gets 403 with the reason for the block", async ({ hosted, database }) => {
  const { person, key } = await addCustomer(hosted);
  await hosted.addCredit(person, -2n * USD);
  const owing = () => send(hosted, person, { apiKey: key.id });
  await waitFor("the block", async () => (await owing()).status === 403);
  expect(await owing()).toMatchObject({
    status: 403,
    body: { code: "TEAM_BLOCKED", details: { blockedReason: "negative_balance" } },
  });

  const other = await addCustomer(hosted);
  await runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    blockByOperator(transaction, other.person.teamId, new Date()),
  );
  expect(await send(hosted, other.person, { apiKey: other.key.id })).toMatchObject({
    status: 403,
    body: {
      code: "TEAM_BLOCKED",
      error: expect.stringContaining("administrator"),
      details: { blockedReason: "admin" },
    },
  });
});

test("a message with another user's key or an unknown key gets 404, and unusable keys are rejected", async ({
  hosted,
}) => {
  const { person, key } = await addCustomer(hosted);
  const stranger = await addCustomer(hosted);
  for (const apiKey of [stranger.key.id, stranger.key.token, makeApiKey(), makePrefixedId("key", Date.now())]) {
    expect(await send(hosted, person, { apiKey })).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  }
  const malformed = `${key.token.slice(0, -1)}${key.token.endsWith("0") ? "1" : "0"}`;
  for (const apiKey of [malformed, "nonsense"]) {
    expect(await send(hosted, person, { apiKey })).toMatchObject({
      status: 401,
      body: { code: "UNAUTHORIZED", details: { reason: "INVALID_API_KEY" } },
    });
  }
  expect(await send(hosted, person, { apiKey: "sk-tg-Ab…9fQ2" })).toMatchObject({ status: 400 });
  const change = (path: string, body: object) => hosted.api("POST", path, { token: person.token, body });
  await change("/api/api-keys/update", { token: key.id, disabled: true });
  expect(await send(hosted, person, { apiKey: key.token })).toMatchObject({ status: 401 });
  await change("/api/api-keys/update", { token: key.id, disabled: false });
  await change("/api/api-keys/remove", { apiKey: key.id });
  expect((await send(hosted, person, { apiKey: key.id })).status).toBe(401);
  expect(
    (await hosted.api("POST", "/api/gw/messages", { body: { model: "metered", messages, apiKey: key.id } })).status,
  ).toBe(401);
});

test("a member can use only their own teams' keys, and gets 404 for other keys", async ({ hosted, upstream }) => {
  const { person, key } = await addCustomer(hosted);
  const member = await hosted.signUp();
  const asOwner = (path: string, body: object) => hosted.api("POST", path, { token: person.token, body });
  const team = await asOwner("/api/gw/teams", { name: "Other" });
  const invited = await asOwner("/api/gw/teams/invite-member", {
    teamId: team.body.team.id,
    teamName: "Other",
    email: member.email,
    role: "member",
  });
  const inviteToken = /token=([\w-]+)/.exec(invited.body.inviteUrl)?.[1];
  const accepted = await hosted.api("POST", "/api/invitations/accept", {
    token: member.token,
    body: { token: inviteToken },
  });
  expect(accepted).toMatchObject({ status: 200 });
  const asMember = (apiKey: string) =>
    hosted.api("POST", "/api/gw/messages", {
      token: member.token,
      body: { model: "metered", messages, apiKey },
    });
  upstream.replies(200, chatAnswer());
  expect((await asMember(key.id)).status).toBe(404);
  const theirs = await hosted.createKey({ ...person, teamId: team.body.team.id });
  expect((await asMember(theirs.id)).status).toBe(200);
});

test("a stream is relayed unchanged and ends with a management error frame if it is interrupted", async ({
  hosted,
  upstream,
}) => {
  const { person, key } = await addCustomer(hosted);
  const frames = chatFrames({ model: "m1", pieces: ["à", "la", "carte"], includeUsage: true });
  upstream.streams(frames);
  const whole = await send(hosted, person, { apiKey: key.id, stream: true });
  expect(whole.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(contentOf(whole.text)).toBe("àlacarte");
  expect(whole.text).toMatch(/data: \[DONE\]\n\n$/);

  upstream.streams(frames, { cutAfterFrames: 2 });
  const broken = await send(hosted, person, { apiKey: key.id, stream: true });
  const last = broken.text.trimEnd().split("\n\n").at(-1) ?? "";
  expect(broken.text).not.toContain("[DONE]");
  expect(JSON.parse(last.slice("data: ".length))).toEqual({
    error: expect.any(String),
    code: "SERVER_ERROR",
    details: { reason: "UPSTREAM_FAILED" },
    docUrl: expect.stringMatching(/\/docs\/errors\/reasons\/UPSTREAM_FAILED$/),
    requestId: expect.any(String),
  });
});

test("if a client disconnects, the upstream call completes and is charged", async ({ hosted, upstream }) => {
  const { person, key } = await addCustomer(hosted);
  upstream.streams(chatFrames({ model: "m1", pieces: ["one", "two"] }), { delayMs: 40 });
  const leaving = new AbortController();
  const index = upstream.requests.length;
  const answer = await fetch(`${hosted.url}/api/gw/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${person.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "metered", messages, apiKey: key.id, stream: true }),
    signal: leaving.signal,
  });
  await answer.body?.getReader().read();
  leaving.abort();
  expect((await upstream.ended(index)).end?.kind).toBe("answered");
});

test.for([
  ["an unknown model", { model: "nothing" }, 404, "NOT_FOUND", "MODEL_NOT_FOUND"],
  ["a model that fails", { model: "sim/error?status=500" }, 502, "SERVER_ERROR", "UPSTREAM_FAILED"],
  ["an overloaded model", { model: "sim/error?status=503" }, 502, "SERVER_ERROR", "UPSTREAM_FAILED"],
  ["a model's own rate limit", { model: "sim/error?status=429" }, 429, "FORBIDDEN", "MODEL_RATE_LIMITED"],
  [
    "a model that does not respond",
    { model: "sim/slow?ttft=9s", timeout: 0.2 },
    504,
    "SERVER_ERROR",
    "UPSTREAM_TIMEOUT",
  ],
  ["an invalid field", { model: "sim/echo", temperature: "hot" }, 400, "VALIDATION_ERROR", "INVALID_FIELD"],
  ["no messages", { messages: [] }, 400, "VALIDATION_ERROR", "INVALID_FIELD"],
  [
    "an attempt to redirect the call",
    { model: "sim/echo", api_base: "http://x" },
    400,
    "VALIDATION_ERROR",
    "INVALID_FIELD",
  ],
] as const)("%s is reported in the management error format", async ([, fields, status, code, reason], { hosted }) => {
  const { person, key } = await addCustomer(hosted);
  const answer = await send(hosted, person, { apiKey: key.id, ...fields });
  expect(answer).toMatchObject({ status, body: { error: expect.any(String), code, details: { reason } } });
  expect(answer.body.requestId).toBe(answer.headers.get("x-request-id"));
});

test("accepts bodies up to 20 MiB and returns 413 for larger bodies", async ({ hosted }) => {
  const { person, key } = await addCustomer(hosted);
  const withBytes = (bytes: number) =>
    send(hosted, person, {
      model: "sim/echo",
      apiKey: key.id,
      messages: [{ role: "user", content: "x".repeat(bytes) }],
    });
  expect((await withBytes(19 * 1024 * 1024)).status).toBe(200);
  expect(await withBytes(20 * 1024 * 1024)).toMatchObject({
    status: 413,
    body: { details: { reason: "BODY_TOO_LARGE" } },
  });
});

function contentOf(stream: string): string {
  return stream
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice("data: ".length)).choices[0]?.delta.content ?? "")
    .join("");
}
