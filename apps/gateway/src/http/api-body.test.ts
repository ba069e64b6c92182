import { connect } from "node:net";
import { text } from "node:stream/consumers";
import Type from "typebox";
import { expect, test } from "vitest";
import { ADMIN_KEY, startApi } from "./api.fixture.ts";
import { answerJson, type KeyedOperation } from "./api-operation.ts";

const LIMIT = 2_000;

const echo: KeyedOperation = {
  id: "echo",
  summary: "Answers with the body for a test",
  tag: "assistants",
  method: "POST",
  paths: ["/echo"],
  auth: "key",
  routeGroup: "inference",
  billing: "free",
  bodyLimitBytes: LIMIT,
  timeoutMs: 5_000,
  body: Type.Object({ name: Type.String(), count: Type.Optional(Type.Integer()) }, { additionalProperties: true }),
  answers: {},
  handle: ({ body }) => answerJson({ body }),
};
const lenient: KeyedOperation = {
  ...echo,
  id: "lenient",
  paths: ["/lenient", "/lenient/{thread_id}/parts/{part_id}"],
  isBodyOptional: true,
  body: Type.Object({}, { additionalProperties: true }),
  handle: ({ body, params }) => answerJson({ body, params }),
};
const remove: KeyedOperation = {
  ...lenient,
  id: "remove",
  method: "DELETE",
  paths: ["/lenient/{thread_id}"],
  body: Type.Object({}),
  handle: ({ params }) => answerJson({ params }),
};

const start = () => startApi({ operations: [echo, lenient, remove] });
type Rest = Awaited<ReturnType<typeof start>>;

async function post(rest: Rest, path: string, body: string | undefined, headers: Record<string, string> = {}) {
  const sent = { "content-type": "application/json", ...headers };
  const response = await rest.get(path, { method: "POST", headers: sent, ...(body !== undefined && { body }) });
  const answer = (await response.json()) as {
    body?: unknown;
    error?: { code: string; param: string | null };
    detail?: readonly { loc: readonly unknown[]; type: string }[];
  };
  return { status: response.status, ...answer };
}

test("reads and validates a body and keeps fields that the schema does not define", async () => {
  await using rest = await start();
  expect(await post(rest, "/echo", '{"name":"é😀","other":[1]}')).toEqual({
    status: 200,
    body: { name: "é😀", other: [1] },
  });
  const withCharset = { "content-type": "application/json; charset=utf-8" };
  expect(await post(rest, "/echo", '{"name":"a"}', withCharset)).toMatchObject({ status: 200 });
});

test("lists every validation error in a body", async () => {
  await using rest = await start();
  const refused = await post(rest, "/echo", '{"count":"many"}');
  expect(refused).toMatchObject({ status: 422, error: { code: "validation_error", param: "name" } });
  expect(refused.detail?.map(({ loc, type }) => `${loc.join(".")} ${type}`)).toEqual([
    "body.name missing",
    "body.count int_parsing",
  ]);
});

test.for([
  ["a truncated object", '{"name":"a"'],
  ["a repeated key", '{"name":"a","name":"b"}'],
  ["a key that names a prototype", '{"name":"a","__proto__":{}}'],
  ["too deep nesting", `{"name":"a","deep":${"[".repeat(80)}${"]".repeat(80)}}`],
])("%s is rejected as invalid JSON", async ([, body]) => {
  await using rest = await start();
  expect(await post(rest, "/echo", body)).toMatchObject({ status: 422, detail: [{ type: "json_invalid" }] });
});

test("returns 422 for a missing body, whatever its content type", async () => {
  await using rest = await start();
  const missing = { status: 422, detail: [{ loc: ["body"], msg: "Field required", type: "missing" }] };
  expect(await post(rest, "/echo", "")).toMatchObject(missing);
  expect(await post(rest, "/echo", undefined)).toMatchObject(missing);
  expect(await post(rest, "/echo", undefined, { "content-type": "text/plain" })).toMatchObject(missing);
});

test("rejects a list where an object is expected", async () => {
  await using rest = await start();
  expect(await post(rest, "/echo", "[]")).toMatchObject({ status: 422, detail: [{ type: "dict_type" }] });
});

test("returns 415 for any content type other than JSON in UTF-8", async () => {
  await using rest = await start();
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "no type at all",
    "application/json; charset=latin1",
  ]) {
    const refused = await post(rest, "/echo", '{"name":"a"}', { "content-type": type });
    expect(refused, type).toMatchObject({ status: 415, error: { code: "unsupported_media_type" } });
  }
  expect(rest.unexpected).toEqual([]);
});

test("an invalid key is reported before an invalid body", async () => {
  await using rest = await start();
  for (const headers of [{ "content-type": "no type at all" }, { "content-type": "application/json" }]) {
    const refused = await rest.get("/echo", { key: "sk-unknown", method: "POST", headers, body: "{" });
    expect(refused.status).toBe(401);
  }
  const large = await rest.get("/echo", { key: null, method: "POST", body: "x".repeat(LIMIT * 2) });
  expect(large.status).toBe(401);
});

test("returns 413 for a body over the operation's limit, with or without a Content-Length", async () => {
  await using rest = await start();
  const body = JSON.stringify({ name: "x".repeat(LIMIT) });
  expect(await post(rest, "/echo", body)).toMatchObject({ status: 413, error: { code: "request_too_large" } });
  const fits = JSON.stringify({ name: "x".repeat(LIMIT - '{"name":""}'.length) });
  expect((await post(rest, "/echo", fits)).status).toBe(200);

  const socket = connect(Number(new URL(rest.url).port), "127.0.0.1");
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
  socket.write(
    `POST /echo HTTP/1.1\r\nhost: here\r\nx-gw-api-key: ${ADMIN_KEY}\r\ncontent-type: application/json\r\n` +
      `transfer-encoding: chunked\r\n\r\n${chunk}`,
  );
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer.toLowerCase()).toContain("connection: close");
});

test("sends 100 Continue to a client that waits for it", async () => {
  await using rest = await start();
  const socket = connect(Number(new URL(rest.url).port), "127.0.0.1");
  const body = '{"name":"later"}';
  socket.write(
    `POST /echo HTTP/1.1\r\nhost: here\r\nx-gw-api-key: ${ADMIN_KEY}\r\ncontent-type: application/json\r\n` +
      `expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  const asked = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
  expect(asked.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  socket.write(body);
  expect(await text(socket)).toContain('{"body":{"name":"later"}}');
});

test("a missing optional body is read as an empty object", async () => {
  await using rest = await start();
  const nothing = await rest.get("/lenient", { method: "POST" });
  expect(await nothing.json()).toEqual({ body: {}, params: {} });
  expect(await post(rest, "/lenient", undefined)).toMatchObject({ status: 200, body: {} });
  expect(await post(rest, "/lenient", "{}", { "content-type": "text/plain" })).toMatchObject({ status: 415 });
});

test("a client that disconnects before its body is complete causes no unexpected error", async () => {
  await using rest = await start();
  const socket = connect(Number(new URL(rest.url).port), "127.0.0.1");
  socket.write(
    `POST /echo HTTP/1.1\r\nhost: here\r\nx-gw-api-key: ${ADMIN_KEY}\r\ncontent-type: application/json\r\n` +
      'content-length: 100\r\n\r\n{"name"',
  );
  socket.end();
  await text(socket);
  expect((await post(rest, "/echo", '{"name":"a"}')).status).toBe(200);
  expect(rest.unexpected).toEqual([]);
});

test("path parameters identify records, and an ID matches one path segment", async () => {
  await using rest = await start();
  const nested = await rest.get("/lenient/a%2Fb/parts/c", { method: "POST" });
  expect(await nested.json()).toEqual({ body: {}, params: { thread_id: "a/b", part_id: "c" } });
  const removed = await rest.get("/lenient/a", { method: "DELETE", headers: { "content-type": "application/json" } });
  expect(await removed.json()).toEqual({ params: { thread_id: "a" } });
  expect((await rest.get("/lenient/a/b", { method: "DELETE" })).status).toBe(404);
  const wrong = await rest.get("/lenient/a", { method: "POST" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "DELETE, OPTIONS"]);
});
