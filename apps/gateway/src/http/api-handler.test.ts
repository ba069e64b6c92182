import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startApi, USER_KEY } from "./api.fixture.ts";
import { answerJson, type OpenOperation } from "./api-operation.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const probe: OpenOperation = {
  id: "probe",
  summary: "Answers for a test",
  tag: "health",
  method: "GET",
  paths: ["/probe"],
  auth: "none",
  routeGroup: "public",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 1_000,
  answers: {},
  handle: () => answerJson({}),
};

test("every response has a call ID, which is the client's call ID if that ID is valid", async () => {
  await using rest = await startApi();
  for (const path of ["/models", "/models/none", "/nowhere", "/health/liveness"]) {
    const own = await rest.get(path);
    expect(own.headers.get("x-gw-call-id")).toMatch(UUID);
    expect(own.headers.get("x-gw-version")).toBe("0.2.0");
    const labeled = await rest.get(path, { headers: { "x-gw-call-id": "my-call.1" } });
    expect(labeled.headers.get("x-gw-call-id")).toBe("my-call.1");
    const bad = await rest.get(path, { headers: { "x-gw-call-id": "no spaces" } });
    expect(bad.headers.get("x-gw-call-id")).toMatch(UUID);
  }
});

test("responses can be read by any origin and are not cacheable", async () => {
  await using rest = await startApi();
  const headers = { origin: "https://app.example" };
  const answer = await rest.get("/models", { headers });
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-expose-headers")).toBe("*");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect((await rest.get("/nowhere", { headers })).headers.get("access-control-allow-origin")).toBe("*");
  expect((await rest.get("/models")).headers.get("access-control-allow-origin")).toBeNull();
});

test("returns 404 for an unknown path and 405 for an unsupported method before it checks the key and body", async () => {
  await using rest = await startApi();
  const absent = await rest.get("/nowhere", { key: null, method: "POST", body: "{not json" });
  expect(absent.status).toBe(404);
  expect(await absent.json()).toMatchObject({
    error: { code: "not_found", type: "invalid_request_error", param: null },
  });

  for (const path of ["/models", "/v1/models/a/b", "/health/readiness", "/openapi.json"]) {
    const wrong = await rest.get(path, { key: null, method: "POST", body: "{not json" });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect(wrong.headers.get("x-gw-error-name")).toBe("BadRequestError");
    expect(await wrong.json()).toMatchObject({ error: { code: "method_not_allowed" } });
  }
});

test("HEAD returns the GET response without its body", async () => {
  await using rest = await startApi();
  const [whole, head] = await Promise.all([rest.get("/models"), rest.get("/models", { method: "HEAD" })]);
  expect(head.status).toBe(200);
  expect(head.headers.get("content-length")).toBe(whole.headers.get("content-length"));
  expect(await head.text()).toBe("");
  expect((await rest.get("/models", { method: "HEAD", key: null })).status).toBe(401);
});

test("checks the key before the rest of the request", async () => {
  await using rest = await startApi({
    callers: {
      "sk-expired": { expiresAtMs: 1 },
      "sk-disabled": { isDisabled: true },
      "sk-narrow": { allowedRoutes: ["inference"] },
      "sk-one-route": { allowedRoutes: ["/v1/models"] },
      "sk-blocked-team": { isTeamBlocked: true },
    },
  });
  const codeWith = async (key: string | null, path = "/models?scope=all") => {
    const response = await rest.get(path, { key });
    const body = (await response.json()) as { error?: { code: string } };
    return [response.status, body.error?.code];
  };
  expect(await codeWith(null)).toEqual([401, "missing_api_key"]);
  expect(await codeWith("not-a-key")).toEqual([401, "invalid_api_key"]);
  expect(await codeWith("sk-unknown")).toEqual([401, "invalid_api_key"]);
  expect(await codeWith("sk-expired")).toEqual([401, "expired_key"]);
  expect(await codeWith("sk-disabled")).toEqual([401, "key_blocked"]);
  expect(await codeWith("sk-narrow")).toEqual([403, "route_not_allowed"]);
  expect(await codeWith(USER_KEY)).toEqual([422, "validation_error"]);
  expect(await codeWith("sk-one-route", "/models")).toEqual([200, undefined]);
  expect(await codeWith("sk-one-route", "/model/info")).toEqual([403, "route_not_allowed"]);
  expect(await codeWith("sk-blocked-team", "/models")).toEqual([200, undefined]);
  expect((await rest.get("/models", { key: null })).headers.get("www-authenticate")).toBe('Bearer realm="gateway"');
});

test("accepts the key as a Bearer token unless key_headers excludes it", async () => {
  const bearer = { authorization: `Bearer ${USER_KEY}` };
  await using open = await startApi();
  expect((await open.get("/v1/models", { key: null, headers: bearer })).status).toBe(200);
  await using strict = await startApi({ yaml: "general_settings: { key_headers: [x-gw-api-key] }" });
  const refused = await strict.get("/v1/models", { key: null, headers: bearer });
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ error: { code: "wrong_auth_header" } });
});

test("returns a generic 500 for an unexpected error and reports the error", async () => {
  const broken: OpenOperation = {
    ...probe,
    handle: () => {
      throw new Error("password is hunter2");
    },
  };
  await using rest = await startApi({ operations: [broken], yaml: "gw_settings: { error_code_style: status }" });
  const response = await rest.get("/probe");
  expect(response.status).toBe(500);
  const body = await response.text();
  expect(body).not.toContain("hunter2");
  expect(JSON.parse(body)).toMatchObject({ error: { type: "server_error", code: "500" } });
  expect(rest.unexpected).toEqual([new Error("password is hunter2")]);
});

test("returns 408 for an operation that exceeds its timeout", async () => {
  const slow: OpenOperation = { ...probe, timeoutMs: 20, handle: () => new Promise(() => {}) };
  await using rest = await startApi({ operations: [slow] });
  const response = await rest.get("/probe");
  expect(response.status).toBe(408);
  expect(await response.json()).toMatchObject({ error: { code: "timeout" } });
});

test("removes the root path and a repeated version prefix", async () => {
  await using rest = await startApi({
    yaml: `
model_list: [{ model_name: echo, litellm_params: { model: sim/echo } }]
general_settings: { server_root_path: /gateway }`,
  });
  const plain = await (await rest.get("/models")).text();
  for (const path of ["/gateway/models", "/gateway/v1/models", "/v1/v1/models", "/gateway/v1/v1/models?team_id="]) {
    expect(await (await rest.get(path)).text()).toBe(plain);
  }
  expect(await rest.read("/gateway/v1/v1/models/echo")).toMatchObject({ id: "echo" });
  expect(await rest.read("/gateway")).toMatchObject({ docs: "/gateway/docs/api", openapi: "/gateway/openapi.json" });
  expect((await rest.get("/gateway/docs")).headers.get("location")).toBe("/gateway/docs/api");
});

test("closes the connection after a request with an unexpected body", async () => {
  await using rest = await startApi();
  const socket = connect(Number(new URL(rest.url).port), "127.0.0.1");
  socket.write("GET /health/liveness HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n");
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer.toLowerCase()).toContain("connection: close");
});

test("every response closes its connection during a drain", async () => {
  await using rest = await startApi();
  rest.health.isDraining = true;
  expect((await rest.get("/health/liveness")).headers.get("connection")).toBe("close");
  expect((await rest.get("/nowhere")).headers.get("connection")).toBe("close");
});

test("rejects a path with invalid percent-encoding", async () => {
  await using rest = await startApi();
  const response = await rest.get("/models/%zz");
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: "invalid_request" } });
});
