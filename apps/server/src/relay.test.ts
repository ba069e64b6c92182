import { type IncomingMessage, request } from "node:http";
import { Secret } from "@tollgate/domain/secret.ts";
import { createDatabaseSigningKeys } from "@tollgate/platform/adapters/database-signing-keys.ts";
import { createTokenIssuer } from "@tollgate/platform/adapters/jose-token-issuer.ts";
import { relayedOperations } from "@tollgate/platform/relay/relayed-operations.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { type HostedPlatform, type Person, SECRET_KEY, test } from "./hosted-platform.fixture.ts";

const USD = 1_000_000_000n;
const LARGEST_BODY = 20 * 1024 * 1024;
const messages = [{ role: "user", content: "hello" }];

/** Creates a user with credit and a key, and returns a function that relays requests for the user. */
async function addCustomer(hosted: HostedPlatform, credit = USD) {
  const person = await hosted.signUp();
  if (credit > 0n) await hosted.addCredit(person, credit);
  const key = await hosted.createKey(person);
  const relay = (method: string, path: string, body?: unknown, keyId = key.id) =>
    hosted.api(method, `/api/gw/relay${path}`, {
      token: person.token,
      headers: { "x-gw-key": keyId },
      ...(body !== undefined && { body }),
    });
  return { person, key, relay };
}

const change = (hosted: HostedPlatform, { token }: Person, path: string, body: object) =>
  hosted.api("POST", path, { token, body });

test("a relayed call returns the gateway's response, is charged to its key, and is logged", async ({
  hosted,
  upstream,
}) => {
  const { person, key, relay } = await addCustomer(hosted);
  upstream.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }));
  const answer = await relay("POST", "/v1/chat/completions", { model: "metered", messages, seed: 7 });
  expect(answer).toMatchObject({ status: 200, body: { object: "chat.completion", model: "metered" } });
  expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe("18000");
  expect(answer.headers.get("x-gw-call-id")).toBe(answer.headers.get("x-request-id"));
  expect(upstream.requests.at(-1)?.json()).toMatchObject({ model: "m1", messages, seed: 7 });
  const [log] = await waitFor("the settled call", async () => {
    const { body } = await hosted.api("GET", "/api/gw/logs", { token: person.token });
    return body.data.length === 1 ? body.data : null;
  });
  expect(log).toMatchObject({ endpoint: "platform.relay", apiKeyId: key.id, cost: 18_000, class: "succeeded" });
});

test("a stream is relayed byte for byte as it arrives, not after it ends", async ({ hosted, upstream }) => {
  const { person, key } = await addCustomer(hosted);
  upstream.streams(chatFrames({ model: "m1", pieces: ["one", "two"] }), { delayMs: 40 });
  const leaving = new AbortController();
  const index = upstream.requests.length;
  const answer = await fetch(`${hosted.url}/api/gw/relay/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${person.token}`,
      "content-type": "application/json",
      "x-gw-key": key.id,
    },
    body: JSON.stringify({ model: "metered", messages, stream: true }),
    signal: leaving.signal,
  });
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const first = await answer.body?.getReader().read();
  expect(Buffer.from(first?.value ?? []).toString()).toContain("data: {");
  // The gateway reads the remaining stream after the client disconnects, to determine the cost of the call.
  leaving.abort();
  expect((await upstream.ended(index)).end?.kind).toBe("answered");
});

test("relays embeddings, speech, forms, token counts, quotes, and model lists", async ({ hosted }) => {
  const { person, key, relay } = await addCustomer(hosted);
  const vectors = await relay("POST", "/v1/embeddings", { model: "sim/embed", input: "hello" });
  expect(vectors).toMatchObject({ status: 200, body: { object: "list" } });
  const spoken = await relay("POST", "/v1/audio/speech", { model: "sim/speech", input: "hello", voice: "alloy" });
  expect(spoken.status).toBe(200);
  expect(spoken.headers.get("content-type")).toMatch(/^audio\//);
  const form = new FormData();
  form.set("model", "sim/transcribe");
  form.set("file", new File([makeWave()], "a.wav", { type: "audio/wav" }));
  const received = await fetch(`${hosted.url}/api/gw/relay/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${person.token}`, "x-gw-key": key.id },
    body: form,
  });
  expect(received.status).toBe(200);
  expect(await received.json()).toHaveProperty("text");
  const counted = await relay("POST", "/utils/token_counter", { model: "metered", messages });
  expect(counted.body.total_tokens).toBeGreaterThan(0);
  expect((await relay("POST", "/utils/cost_quote", { model: "metered", messages })).status).toBe(200);
  const params = await relay("GET", "/utils/supported_openai_params?model=metered");
  expect(params.body.supported_openai_params).toContain("temperature");
  const listed = await relay("GET", "/v1/models");
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toContain("metered");
  expect((await relay("GET", "/model_group/info?model_group=metered")).body.data).toHaveLength(1);
});

test("relays requests that manage assistants, threads, and messages", async ({ hosted }) => {
  const { relay } = await addCustomer(hosted);
  const made = await relay("POST", "/v1/assistants", { model: "sim/echo", name: "Helper" });
  expect(made).toMatchObject({ status: 200, body: { object: "assistant", name: "Helper" } });
  const path = `/v1/assistants/${made.body.id}`;
  expect((await relay("GET", "/v1/assistants?limit=5")).body.data).toMatchObject([{ id: made.body.id }]);
  expect((await relay("POST", path, { name: "Other" })).body.name).toBe("Other");
  const thread = await relay("POST", "/v1/threads", {});
  const said = await relay("POST", `/v1/threads/${thread.body.id}/messages`, { role: "user", content: "hello" });
  expect(said.status).toBe(200);
  expect((await relay("GET", `/v1/threads/${thread.body.id}/messages`)).body.data).toHaveLength(1);
  expect((await relay("DELETE", path)).body).toMatchObject({ deleted: true });
  expect((await relay("GET", path)).status).toBe(404);
  const stranger = await addCustomer(hosted);
  expect((await stranger.relay("GET", `/v1/threads/${thread.body.id}`)).status).toBe(404);
});

test("returns 404 for another user's key, 409 for a revoked key, and 400 for a missing key", async ({ hosted }) => {
  const { person, key, relay } = await addCustomer(hosted);
  const stranger = await addCustomer(hosted);
  const call = (keyId: string) => relay("POST", "/v1/chat/completions", { model: "sim/echo", messages }, keyId);
  expect((await call(key.id)).status).toBe(200);
  for (const keyId of [stranger.key.id, stranger.key.token, key.token, "key_nothing"]) {
    expect(await call(keyId)).toMatchObject({ status: 404, body: { details: { reason: "UNKNOWN_OBJECT" } } });
  }
  const without = await hosted.api("GET", "/api/gw/relay/v1/models", { token: person.token });
  expect(without).toMatchObject({ status: 400, body: { details: { fields: { "x-gw-key": expect.any(String) } } } });
  await change(hosted, person, "/api/api-keys/remove", { apiKey: key.id });
  expect(await call(key.id)).toMatchObject({ status: 409, body: { details: { reason: "KEY_REVOKED" } } });
  const unknown = await hosted.api("GET", "/api/gw/relay/v1/models", { headers: { "x-gw-key": key.id } });
  expect(unknown.status).toBe(401);
});

test("gateway errors are relayed unchanged, including their status and limit", async ({ hosted }) => {
  const { person, relay } = await addCustomer(hosted, 0n);
  const poor = await relay("POST", "/v1/chat/completions", { model: "metered", messages });
  expect(poor).toMatchObject({
    status: 429,
    body: { error: { code: "QUOTA_EXCEEDED", limit: { kind: "credit", owner_type: "organization" } } },
  });
  expect((await relay("POST", "/v1/chat/completions", { model: "nothing", messages })).body.error.code).toBe(
    "model_not_found",
  );
  expect((await relay("POST", "/v1/chat/completions", "no json")).status).toBe(422);
  const disabled = await hosted.createKey(person);
  await change(hosted, person, "/api/api-keys/update", { token: disabled.id, disabled: true });
  const refused = await relay("GET", "/v1/models", undefined, disabled.id);
  expect(refused).toMatchObject({ status: 401, body: { error: { code: expect.any(String) } } });
});

test("relays only listed operations, and an ID can't change the path of a request", async ({ hosted }) => {
  const { relay } = await addCustomer(hosted);
  for (const path of ["/metrics", "/health", "/v1/model/info", "/v1", "/api/auth/me", "/v1/chat/completions/x", ""]) {
    expect((await relay("GET", path)).status, path).toBe(404);
  }
  expect((await relay("GET", "/v1/chat/completions")).status).toBe(405);
  for (const id of ["..", "%2e%2e", "..%2f..%2fmetrics", "a%2fb", "a%3fb", "a%23b", "%20"]) {
    expect((await relay("GET", `/v1/assistants/${id}`)).status, id).not.toBe(200);
    expect((await relay("GET", `/v1/threads/${id}/messages`)).status, id).toBe(404);
  }
  const form = await relay("POST", "/v1/audio/transcriptions", { model: "sim/transcribe" });
  expect(form).toMatchObject({ status: 415, body: { details: { reason: "WRONG_MEDIA_TYPE" } } });
});

test("a request body is read only after the client is authenticated", async ({ hosted }) => {
  const { person, key } = await addCustomer(hosted);
  const start = (headers: Record<string, string>, bytes = LARGEST_BODY) =>
    startUpload(`${hosted.url}/api/gw/relay/v1/chat/completions`, bytes, { "x-gw-key": key.id, ...headers });
  // The test sends no byte of the body, so a server that waited for the body would never respond.
  expect((await start({}).answered).statusCode).toBe(401);
  expect((await start({ authorization: "Bearer unknown" }).answered).statusCode).toBe(401);
  expect((await start({ cookie: `tollgate_session=${person.token}` }).answered).statusCode).toBe(403);
  expect((await startUpload(`${hosted.url}/api/gw/messages`, LARGEST_BODY, {}).answered).statusCode).toBe(401);
  const known = start({ authorization: `Bearer ${person.token}` }, 1_000);
  known.send(JSON.stringify({ model: "sim/echo", messages }));
  expect((await known.answered).statusCode).toBe(200);
});

test.for([
  [4, LARGEST_BODY],
  [17, 1_000],
] as const)(
  "%i concurrent calls of %i bytes each from one user exceed the limit and don't affect other users",
  async ([calls, bytes], { hosted }) => {
    const { person, key, relay } = await addCustomer(hosted);
    const headers = { authorization: `Bearer ${person.token}`, "x-gw-key": key.id };
    const uploads = Array.from({ length: calls }, () =>
      startUpload(`${hosted.url}/api/gw/relay/v1/chat/completions`, bytes, headers),
    );
    expect((await Promise.any(uploads.map(({ answered }) => answered))).statusCode).toBe(429);
    const other = await addCustomer(hosted);
    const call = ["POST", "/v1/chat/completions", { model: "sim/echo", messages }] as const;
    expect((await other.relay(...call)).status).toBe(200);
    for (const upload of uploads) upload.leave();
    await waitFor("room for another", async () => (await relay(...call)).status === 200);
    // Finished requests use no capacity, regardless of how they ended.
    for (let index = 0; index < calls; index += 1) expect((await relay(...call)).status).toBe(200);
  },
);

test("every relayed operation has the same path on the gateway", async ({ hosted }) => {
  const { body } = await hosted.api("GET", "/openapi.json");
  const paths: Record<string, Record<string, { operationId: string }>> = body.paths;
  for (const { id, method, path } of relayedOperations) {
    expect(paths[path]?.[method.toLowerCase()]?.operationId.split("_")[0], path).toBe(id);
  }
});

test("an internal token for messages can't list models, and an internal token for relaying can", async ({
  hosted,
  database,
}) => {
  const { key } = await addCustomer(hosted);
  const secrets = createSecretBox([new Secret(SECRET_KEY)]);
  const keys = createDatabaseSigningKeys(database.connect("tollgate_platform"), secrets, () => performance.now());
  const tokens = createTokenIssuer(
    keys,
    () => 60,
    () => new Date(),
  );
  for (const [purpose, status] of [
    ["platform.relay", 200],
    ["platform.messages", 401],
    ["assistants.run", 401],
  ] as const) {
    const pass = await tokens.issueInternal({ audience: "gateway", keyId: key.id, purpose });
    const answer = await hosted.api("GET", "/v1/models", { headers: { "x-gw-internal": pass } });
    expect(answer.status, purpose).toBe(status);
  }
});

/** Starts a request whose headers announce a body that is sent only on demand. */
function startUpload(url: string, bytes: number, headers: Readonly<Record<string, string>>) {
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const upload = request(url, {
    method: "POST",
    agent: false,
    headers: { "content-type": "application/json", "content-length": bytes, ...headers },
  });
  upload.once("response", (response) => resolve(response.resume())).on("error", reject);
  answered.catch(() => {});
  upload.flushHeaders();
  return { answered, send: (text: string) => upload.end(text.padEnd(bytes)), leave: () => upload.destroy() };
}

/** Creates a WAV file with one second of silence. */
function makeWave(): Buffer<ArrayBuffer> {
  const [rate, bytes] = [8_000, 16_000];
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(bytes, 40);
  return Buffer.concat([head, Buffer.alloc(bytes)]);
}
