import { makeApiKey } from "@tollgate/domain/api-keys.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished, test } from "vitest";
import { startEdge } from "../http/edge.fixture.ts";
import { chatHead, RawClient } from "../http/raw-client.fixture.ts";
import { anyCaller } from "./chat-call.fixture.ts";
import type { UnadmittedCall } from "./log-unadmitted.ts";

/** Reads every request with Node's parser. */
const NODE_PARSER = "general_settings: { http_parser: node }";

const messages = [{ role: "user", content: "a private prompt" }];

async function startLogged(changes: Partial<typeof anyCaller> = {}, yaml = "") {
  const calls: UnadmittedCall[] = [];
  const edge = await startEdge({
    caller: { ...anyCaller, ...changes },
    yaml,
    unadmitted: { note: (call) => void calls.push(call) },
  });
  onTestFinished(() => edge[Symbol.asyncDispose]());
  const key = makeApiKey();
  const post = (body: object | string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${edge.port}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-gw-api-key": key, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  /** Sends half of a body, and then ends the connection. */
  const cutOff = async (end: (client: RawClient) => void) => {
    const client = await RawClient.connect(edge.port);
    client.send(`${chatHead({ key, framing: ["content-length: 600"] })}{"model":"sim/echo"`);
    await waitFor("the call to begin", () => edge.http.liveCalls === 1);
    end(client);
    await waitFor("the call to end", () => edge.http.liveCalls === 0);
  };
  return { calls, post, cutOff };
}

test("logs each rejected request of a known key with its code, field, and requested model", async () => {
  const { calls, post } = await startLogged();
  const bodies = [
    { model: "no-such-model", messages },
    { model: "sim/echo", messages: "a private prompt" },
    { model: "sim/echo", messages, extra_headers: { cookie: "1" } },
    "{",
  ];
  for (const body of bodies) await post(body);
  await post({ model: "sim/echo", messages }, { "content-type": "text/plain" });
  expect(calls).toMatchObject([
    { httpStatus: 404, errorCode: "model_not_found", param: "model", requestedModel: "no-such-model" },
    { httpStatus: 422, errorCode: "validation_error", param: "messages", requestedModel: "sim/echo" },
    { httpStatus: 400, errorCode: "invalid_request", param: "extra_headers", requestedModel: "sim/echo" },
    { httpStatus: 422, errorCode: "validation_error", param: null, requestedModel: null },
    { httpStatus: 415, errorCode: "unsupported_media_type", requestedModel: null },
  ]);
  for (const call of calls) {
    expect(call).toMatchObject({ class: "rejected", keyId: "key_1", organizationId: "org_1", modelGroup: "" });
  }
  // The organization did not opt in to storing content.
  expect(JSON.stringify(calls)).not.toContain("private");
  expect(calls[1]?.facts).toEqual({ problems: [{ loc: ["body", "messages"], type: expect.any(String) }] });
});

test("logs the session of a request, by the header alone if the body is invalid", async () => {
  const { calls, post } = await startLogged({ models: { ...anyCaller.models, key: ["other"] } });
  const headers = { "x-session-id": "of-header" };
  await post({ model: "sim/echo", messages, prompt_cache_key: "of-body" }, headers);
  await post("{", headers);
  await post("{");
  expect(calls.map(({ session }) => session)).toEqual(["of-body", "of-header", null]);
});

test("logs a refused request with the group that was refused, and with the facts of the refusal", async () => {
  const { calls, post } = await startLogged({ models: { ...anyCaller.models, key: ["other"] } });
  const response = await post({ model: "sim/echo", messages }, { "x-gw-call-id": "mine" });
  expect(response.status).toBe(403);
  expect(calls).toMatchObject([
    {
      class: "refused",
      errorCode: "key_model_access_denied",
      modelGroup: "sim/*",
      requestedModel: "sim/echo",
      requestId: "mine",
      facts: { message: "This key cannot use model 'sim/echo'. Ask its administrator for access." },
    },
  ]);
});

test.for([
  ["closing", (client: RawClient): void => client.close()],
  ["resetting", (client: RawClient): void => client.reset()],
  ["half-closing", (client: RawClient): void => void client.socket.end()],
] as const)("logs a request whose client disconnects within the body, by %s, as canceled", async ([, end]) => {
  for (const yaml of ["", NODE_PARSER]) {
    const { calls, cutOff } = await startLogged({}, yaml);
    await cutOff(end);
    expect(calls).toMatchObject([{ class: "canceled", httpStatus: 499, errorCode: null, param: null, facts: {} }]);
  }
});

test("logs nothing of a request that is served, or that has no key", async () => {
  const { calls, post } = await startLogged();
  expect((await post({ model: "sim/echo", messages })).status).toBe(200);
  expect((await post({ model: "sim/echo", messages }, { "x-gw-api-key": "" })).status).toBe(401);
  expect(calls).toEqual([]);
});

test("logs a request of a disabled key, although the key is in no cache", async () => {
  const { calls, post } = await startLogged({ isDisabled: true });
  expect((await post({ model: "sim/echo", messages })).status).toBe(401);
  expect(calls).toMatchObject([{ class: "refused", errorCode: "key_blocked", keyId: "key_1" }]);
});
