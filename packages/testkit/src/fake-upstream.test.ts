import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chatAnswer, chatFrames, DONE_FRAME } from "./chat-answers.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream.ts";
import {
  cutAfterBytes,
  cutBeforeHeaders,
  reply,
  replyLate,
  replyRaw,
  replyThenUnexpected,
  replyWithWrongLength,
  streamFrames,
  trickle,
} from "./upstream-behaviors.ts";
import { waitFor } from "./wait-for.ts";

let upstream: FakeUpstream;
let agent: Agent;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});

afterEach(async () => {
  agent.destroy();
  await upstream.close();
});

test("sends the configured response and records the request", async () => {
  upstream.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }), { "x-request-id": "up-1" });
  const answer = await post("/v1/chat/completions", '{"model":"m"}');
  expect(answer.headers["x-request-id"]).toBe("up-1");
  expect(JSON.parse(await text(answer)).usage).toEqual({ prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 });

  const received = await upstream.ended(0);
  expect(received).toMatchObject({ method: "POST", path: "/v1/chat/completions", end: { kind: "answered" } });
  expect(received.json()).toEqual({ model: "m" });
  expect(received.end?.atMs).toBeGreaterThanOrEqual(received.receivedAtMs);
});

test("returns 500 if no response is configured", async () => {
  expect((await post("/", "{}")).statusCode).toBe(500);
});

test("follows a script and repeats its last entry", async () => {
  upstream.behaves(reply(503), reply(429), reply(200, "ok"));
  const statuses: (number | undefined)[] = [];
  for (let index = 0; index < 12; index += 1) {
    const answer = await post("/", "{}");
    answer.resume();
    statuses.push(answer.statusCode);
  }
  expect(statuses.slice(0, 4)).toEqual([503, 429, 200, 200]);
  expect(new Set(upstream.requests.map((received) => received.connection))).toEqual(new Set([0]));
});

test("streams frames and pauses where the test requests a pause", async () => {
  const gate = Promise.withResolvers<void>();
  upstream.streams(chatFrames({ pieces: ["a", "b"] }), {
    beforeFrame: (index) => (index === 2 ? gate.promise : undefined),
  });
  const answer = await post("/", "{}");
  const chunks: string[] = [];
  answer.on("data", (chunk) => chunks.push(String(chunk)));
  await waitFor("two frames", () => chunks.join("").split("\n\n").length === 3);
  gate.resolve();
  await waitFor("the end", () => chunks.join("").endsWith(DONE_FRAME));
  expect(chunks.join("")).toBe(chatFrames({ pieces: ["a", "b"] }).join(""));
});

test("distinguishes a disconnected caller from a response that was cut off", async () => {
  upstream.behaves(
    streamFrames(["data: 1\n\n"], { hangAfterFrames: 1 }),
    streamFrames(["data: 1\n\n", "data: 2\n\n"], { cutAfterFrames: 1 }),
  );
  const left = await post("/", "{}");
  left.once("data", () => left.destroy());
  expect((await upstream.ended(0)).end?.kind).toBe("aborted");

  const cut = await post("/", "{}");
  await expect(text(cut)).rejects.toThrow();
  expect((await upstream.ended(1)).end?.kind).toBe("cut");
});

test("sends half a body before it breaks the connection", async () => {
  upstream.behaves(cutAfterBytes(4, "12345678"));
  const answer = await post("/", "{}");
  let received = "";
  answer.on("data", (chunk) => {
    received += chunk;
  });
  await new Promise((resolve) => answer.once("error", resolve));
  expect(received).toBe("1234");
  expect(answer.complete).toBe(false);
});

test("breaks the connection instead of responding", async () => {
  upstream.behaves(cutBeforeHeaders());
  await expect(post("/", "{}")).rejects.toThrow("socket hang up");
});

test("sends no response before the caller gives up", async () => {
  upstream.hangs();
  const waiting = request({ port: upstream.port, method: "POST", agent });
  waiting.on("error", () => {});
  waiting.end("{}");
  await upstream.request(0);
  expect(upstream.requests[0]?.end).toBeNull();
  waiting.destroy();
  expect((await upstream.ended(0)).end?.kind).toBe("aborted");
});

test("sends a body slowly or late without losing a byte", async () => {
  upstream.behaves(trickle("héllo", { bytesPerWrite: 1, delayMs: 1 }), replyLate(20, 200, "late"));
  expect(await text(await post("/", "{}"))).toBe("héllo");
  expect(await text(await post("/", "{}"))).toBe("late");
  const { bodyReadAtMs, end } = await upstream.ended(1);
  expect((end?.atMs ?? 0) - bodyReadAtMs).toBeGreaterThan(15);
});

test("sends wrong lengths, extra bytes, and invalid HTTP exactly as configured", async () => {
  upstream.behaves(replyWithWrongLength("12345678", 4));
  expect(await sendRaw()).toMatch(/content-length: 4\r\n\r\n12345678$/);
  upstream.behaves(replyThenUnexpected("first", "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond"));
  expect(await sendRaw()).toMatch(/first.*second$/s);
  upstream.behaves(replyRaw("\u0000\u0001 not HTTP", { thenClose: true }));
  expect(await sendRaw()).toBe("\u0000\u0001 not HTTP");
  expect((await upstream.ended(2)).end?.kind).toBe("answered");
});

test("handles the next request after a response with extra bytes", async () => {
  upstream.behaves(replyThenUnexpected("first", "\r\n"), reply(200, "second"));
  expect(await sendRaw("GET / HTTP/1.1\r\nhost: upstream\r\n\r\n".repeat(2), 2)).toMatch(/first\r\nHTTP.*second$/s);
});

function post(path: string, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port: upstream.port, method: "POST", path, agent }, resolve).once("error", reject).end(body);
  });
}

/** Sends a request over a plain socket and returns everything received before the response is recorded as sent. */
async function sendRaw(request = "GET / HTTP/1.1\r\nhost: upstream\r\n\r\n", answers = 1): Promise<string> {
  const last = upstream.requests.length + answers - 1;
  const socket = connect(upstream.port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.write(request);
  await upstream.ended(last);
  socket.end();
  await closed;
  return received;
}
