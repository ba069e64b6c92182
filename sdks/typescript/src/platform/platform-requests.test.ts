import { expect, test } from "vitest";
import { AuthenticationError, ConnectionError, RateLimitError, ServerError } from "../http/api-error.ts";
import { answer, startTestServer, stream } from "../http/test-server.fixture.ts";
import { PlatformClient } from "./platform-client.ts";

const balance = { balance: 1, usd: { balance: "0.000000001" } };
const busy = answer(503, { error: "Busy.", code: "DB_TIMEOUT", requestId: "req_1" }, { "retry-after": "0" });

test("a read is retried after a temporary failure, and a change is retried only if it has an idempotency key", async () => {
  const reads = await startTestServer(busy, busy, answer(200, balance));
  expect((await new PlatformClient({ platformUrl: reads.url }).call("getBalance")).balance).toBe(1n);
  expect(reads.seen).toHaveLength(3);
  const changes = await startTestServer(busy, answer(200, {}));
  const client = new PlatformClient({ platformUrl: changes.url });
  const body = { name: "x" };
  await expect(client.call("createTeam", { body })).rejects.toBeInstanceOf(ServerError);
  expect(changes.seen).toHaveLength(1);
  const keyed = await startTestServer(busy, answer(200, {}));
  await new PlatformClient({ platformUrl: keyed.url }).call("createTeam", { body, idempotencyKey: "once" });
  expect(keyed.seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["once", "once"]);
});

test("a permanent failure or a failure with a long Retry-After is not retried", async () => {
  const refused = await startTestServer(
    answer(401, { error: "No.", code: "UNAUTHORIZED", details: { reason: "TOKEN_EXPIRED" } }),
  );
  const error = await new PlatformClient({ platformUrl: refused.url }).call("getBalance").catch((one: unknown) => one);
  expect(error).toBeInstanceOf(AuthenticationError);
  expect(error).toMatchObject({ reason: "TOKEN_EXPIRED", retryable: false });
  const throttled = await startTestServer(
    answer(429, { error: "Slow.", code: "FORBIDDEN" }, { "retry-after": "3600" }),
  );
  const slow = await new PlatformClient({ platformUrl: throttled.url }).call("getBalance").catch((one: unknown) => one);
  expect(slow).toBeInstanceOf(RateLimitError);
  expect(slow).toMatchObject({ retryAfterSeconds: 3600, retryable: true });
  expect([refused.seen.length, throttled.seen.length]).toEqual([1, 1]);
});

test("a timeout throws a ConnectionError, and an abort by the caller throws the abort reason", async () => {
  const silent = await startTestServer(() => {});
  const client = new PlatformClient({ platformUrl: silent.url, timeoutMs: 30, retries: 0 });
  const late = await client.call("getBalance").catch((one: unknown) => one);
  expect(late).toBeInstanceOf(ConnectionError);
  expect(late).toMatchObject({ status: 0, code: "TIMEOUT", retryable: true });
  const ended = AbortSignal.abort(new Error("enough"));
  await expect(client.call("getBalance", { signal: ended })).rejects.toThrow("enough");
});

test("a cookie session sends its cookie, sends the CSRF header only on state-changing requests, and never sends a token", async () => {
  const server = await startTestServer(answer(200, balance));
  const asked: RequestInit[] = [];
  const client = new PlatformClient({
    platformUrl: server.url,
    session: "cookie",
    token: "must not be sent",
    fetch: (url, init) => {
      asked.push(init ?? {});
      return fetch(url, init);
    },
  });
  await client.call("getBalance");
  await client.call("createTeam", { body: { name: "x" } });
  expect(asked.map(({ credentials }) => credentials)).toEqual(["same-origin", "same-origin"]);
  expect(server.seen.map(({ headers }) => [headers["x-gw-csrf"], headers.authorization])).toEqual([
    [undefined, undefined],
    ["1", undefined],
  ]);
});

test("lists fetch pages lazily, by page number or cursor, until the caller stops or the list ends", async () => {
  const page = (number: number) =>
    answer(200, { data: [{ id: `key_${number}` }], meta: { page: number, pageSize: 1, total: 3, totalPages: 3 } });
  const numbered = await startTestServer(page(1), page(2), page(3));
  const keys = new PlatformClient({ platformUrl: numbered.url }).all("listApiKeys", { query: { pageSize: 1 } });
  expect((await Array.fromAsync(keys)).map(({ id }) => id)).toEqual(["key_1", "key_2", "key_3"]);
  expect(numbered.seen.at(-1)?.url).toBe("/api/api-keys?pageSize=1&page=3");
  const cut = (cursor: string | null) =>
    answer(200, { data: [{ id: cursor }], meta: { page: 1, totalPages: 9, nextCursor: cursor } });
  const cursors = await startTestServer(cut("c1"), cut(null));
  const logs = await Array.fromAsync(new PlatformClient({ platformUrl: cursors.url }).pages("listLogs"));
  expect(logs).toHaveLength(2);
  expect(cursors.seen.at(-1)?.url).toBe("/api/gw/logs?cursor=c1");
  const endless = await startTestServer(page(1));
  for await (const key of new PlatformClient({ platformUrl: endless.url }).all("listApiKeys")) {
    expect(key.id).toBe("key_1");
    break;
  }
  expect(endless.seen).toHaveLength(1);
});

test("events are decoded the same way however the bytes are split", async () => {
  const frames = [
    "event: call\r\nda",
    'ta: {"cost":5,"usd":{"cost":"0.00000',
    '0005"}}\r',
    "\n\r\n",
    ": heartbeat\n\n",
    "event: end\ndata: a\ndata: b\n\n",
  ];
  const server = await startTestServer(stream(frames));
  const events = await Array.fromAsync(new PlatformClient({ platformUrl: server.url }).events("listLogs"));
  expect(events).toEqual([
    { event: "call", data: { cost: 5n, usd: { cost: "0.000000005" } } },
    { event: "end", data: "a\nb" },
  ]);
});

test("callbacks receive each attempt without credentials", async () => {
  const server = await startTestServer(busy, answer(200, balance, { "x-request-id": "req_2" }));
  const received: unknown[] = [];
  const receive = (one: unknown) => void received.push(one);
  const client = new PlatformClient({
    platformUrl: server.url,
    token: "covert",
    onRequest: receive,
    onAnswer: receive,
  });
  const raw = await client.raw("getBalance");
  expect(raw).toMatchObject({ status: 200, requestId: "req_2", data: { balance: 1n } });
  expect(received).toMatchObject([
    { attempt: 1 },
    { status: 503 },
    { attempt: 2 },
    { status: 200, requestId: "req_2" },
  ]);
  expect(JSON.stringify(received)).not.toContain("covert");
});

test("a file is streamed in chunks, and stopping early ends the request", async () => {
  const server = await startTestServer(
    stream(["id,cost\r\n", "use_1,5\r\n"], { "content-type": "text/csv" }),
    (response) => {
      response.writeHead(200).write("id,cost\r\n");
    },
  );
  const client = new PlatformClient({ platformUrl: server.url });
  const input = { query: { format: "csv" as const } };
  const parts: Uint8Array[] = [];
  for await (const part of client.chunks("listLogs", input)) parts.push(part);
  expect(Buffer.concat(parts).toString()).toBe("id,cost\r\nuse_1,5\r\n");
  // The server never ends this response.
  for await (const part of client.chunks("listLogs", input)) {
    expect(Buffer.from(part).toString()).toBe("id,cost\r\n");
    break;
  }
});
