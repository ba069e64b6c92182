import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, test } from "vitest";
import { type Edge, type EdgeOptions, startEdge } from "./edge.fixture.ts";
import { CHAT_BODY, chatHead, chatRequest, inChunks, RawClient } from "./raw-client.fixture.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Starts an edge whose model `far` uses an upstream on a real socket, so that the bytes sent to it can be counted. */
async function startWithUpstream(options: EdgeOptions = {}) {
  const upstream = await startFakeUpstream();
  upstream.replies(200, chatAnswer());
  const model = `{ model: openai/far, api_base: "${upstream.origin}/v1", api_key: sk-upstream }`;
  const yaml = `model_list: [{ model_name: far, litellm_params: ${model} }]\n${options.yaml ?? ""}`;
  const edge = await startEdge({ ...options, yaml });
  return {
    edge,
    upstream,
    [Symbol.asyncDispose]: async () => {
      await edge.close();
      await upstream.close();
    },
  };
}

function bodyOf(content: string): string {
  return JSON.stringify({ model: "far", messages: [{ role: "user", content }] });
}

function contentOf(request: { json(): unknown } | undefined): string | undefined {
  const body = request?.json() as { messages: { content: string }[] } | undefined;
  return body?.messages[0]?.content;
}

/** Checks that the connection is still usable by sending a call that must get the next response. */
async function expectUsable(client: RawClient): Promise<void> {
  const answered = client.answers.length;
  client.send(chatRequest({ callId: "still-usable" }));
  const answer = await client.answer(answered);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-gw-call-id")).toBe("still-usable");
  expect(client.answers).toHaveLength(answered + 1);
}

function expectQuiet(edge: Edge): void {
  expect(edge.unexpected).toEqual([]);
  expect(edge.http.liveCalls).toBe(0);
}

/** Returns a promise that the test resolves. */
function gate(): { open: () => void; passed: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, passed: promise };
}

describe("request bodies", () => {
  test("reach the upstream if they arrive in the same packet as the head, and the connection stays usable", async () => {
    await using started = await startWithUpstream();
    const client = await RawClient.connect(started.edge.port);
    client.send(chatRequest({ body: bodyOf("in one packet") }));
    expect((await client.answer(0)).status).toBe(200);
    expect(contentOf(started.upstream.requests[0])).toBe("in one packet");
    await expectUsable(client);
    client.close();
  });

  test("reach the upstream unchanged if they arrive in many pieces, wherever they are split", async () => {
    await using started = await startWithUpstream();
    const content = Array.from({ length: 30_000 }, (_, index) => `${index}é`).join(" ");
    const bytes = Buffer.from(bodyOf(content));
    const client = await RawClient.connect(started.edge.port);
    await client.sendApart(chatHead({ framing: [`content-length: ${bytes.length}`] }));
    for (let at = 0, size = 1; at < bytes.length; at += size, size = Math.min(size * 2, 9_973)) {
      await client.sendApart(bytes.subarray(at, at + size));
    }
    expect((await client.answer(0)).status).toBe(200);
    expect(contentOf(started.upstream.requests[0])).toBe(content);
    await expectUsable(client);
    client.close();
  });

  test("can arrive byte by byte", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    for (const byte of chatRequest({ callId: "byte-by-byte" })) await client.sendApart(byte);
    expect((await client.answer(0)).headers.get("x-gw-call-id")).toBe("byte-by-byte");
    await expectUsable(client);
    client.close();
  });

  test.each([1, 7, 4_096])("can arrive in chunks of %i bytes", async (size) => {
    await using started = await startWithUpstream();
    const client = await RawClient.connect(started.edge.port);
    const content = "x".repeat(size * 20);
    client.send(chatHead({ framing: ["transfer-encoding: chunked"] }) + inChunks(bodyOf(content), size));
    expect((await client.answer(0)).status).toBe(200);
    expect(contentOf(started.upstream.requests[0])).toBe(content);
    await expectUsable(client);
    client.close();
  });

  test.each([
    ["a length of zero", ["content-length: 0"], ""],
    ["no length", [], ""],
    ["no chunks", ["transfer-encoding: chunked"], "0\r\n\r\n"],
  ])("are rejected if they are empty (%s), and the connection stays usable", async (_, framing, body) => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(chatHead({ framing }) + body);
    const answer = await client.answer(0);
    expect(answer.status).toBe(422);
    expect(JSON.parse(answer.body)).toMatchObject({ detail: [{ loc: ["body"], type: "missing" }] });
    await expectUsable(client);
    client.close();
  });

  test("are read only up to a limit until the key is verified, and then to the end", async () => {
    const lookup = gate();
    await using started = await startWithUpstream({ beforeKeyLookup: () => lookup.passed });
    const sockets = () => [...started.edge.http.connections.all()].map(({ socket }) => socket);
    const content = "y".repeat(20 * MIB);
    const client = await RawClient.connect(started.edge.port);
    client.send(chatRequest({ body: bodyOf(content) }));
    const socket = await waitFor("the server to stop reading", () => {
      const [first] = sockets();
      return first !== undefined && first.bytesRead >= 64 * KIB && client.socket.writableLength > 0 ? first : null;
    });
    const taken = socket.bytesRead;
    await waitFor("ten turns of the loop", countTo(10));
    expect(socket.bytesRead).toBe(taken);
    expect(taken).toBeLessThan(256 * KIB);
    lookup.open();
    expect((await client.answer(0)).status).toBe(200);
    expect(contentOf(started.upstream.requests[0])).toHaveLength(content.length);
    await expectUsable(client);
    client.close();
  });
});

describe("clients that disconnect", () => {
  const partial = bodyOf("z".repeat(5_000)).slice(0, 3_000);
  const halves: [string, string][] = [
    ["in the head", "POST /v1/chat/completions HTTP/1.1\r\nhost: gate"],
    ["between head and body", chatHead({ framing: ["content-length: 6000"] })],
    ["in the body", chatHead({ framing: ["content-length: 6000"] }) + partial],
    ["in a chunk", `${chatHead({ framing: ["transfer-encoding: chunked"] })}1770\r\n${partial}`],
    ["between chunks", `${chatHead({ framing: ["transfer-encoding: chunked"] })}bb8\r\n${partial}\r\n`],
  ];
  const ways: [string, (client: RawClient) => void][] = [
    ["closing", (client) => client.close()],
    ["resetting", (client) => client.reset()],
    ["half-closing", (client) => client.socket.end()],
  ];
  const cases = halves.flatMap(([where, bytes]) => ways.map(([how, leave]) => ({ where, how, bytes, leave })));

  test.each(cases)("cause no upstream call if they disconnect $where by $how", async ({ bytes, leave }) => {
    await using started = await startWithUpstream();
    const client = await RawClient.connect(started.edge.port);
    await client.sendApart(bytes);
    await waitFor("the connection at the server", () => started.edge.http.connections.size === 1);
    leave(client);
    await waitFor("the server to let go", () => started.edge.http.connections.size === 0);
    expect(started.upstream.requests).toHaveLength(0);
    expect(started.edge.records).toEqual([]);
    expectQuiet(started.edge);
  });

  test.each([
    ["half of the body sent", chatHead({ framing: ["content-length: 6000"] }) + partial],
    ["all of the body sent", chatRequest({ body: bodyOf("whole") })],
  ])("cause no upstream call if they disconnect before the key is verified, with %s", async (_, bytes) => {
    const lookup = gate();
    await using started = await startWithUpstream({ beforeKeyLookup: () => lookup.passed });
    const client = await RawClient.connect(started.edge.port);
    client.send(bytes);
    await waitFor("the call to begin", () => started.edge.http.liveCalls === 1);
    client.reset();
    await waitFor("the server to notice", () => started.edge.http.connections.size === 0);
    lookup.open();
    await waitFor("the call to end", () => started.edge.http.liveCalls === 0);
    expect(started.upstream.requests).toHaveLength(0);
    expect(started.edge.records).toEqual([]);
    expectQuiet(started.edge);
  });
});

describe("pipelined requests", () => {
  test.each([2, 3, 4, 5])(
    "are answered in order if %i arrive in one write, regardless of their duration",
    async (count) => {
      await using edge = await startEdge();
      const client = await RawClient.connect(edge.port);
      const requests = Array.from({ length: count }, (_, index) => {
        const model = `sim/slow?ttft=${(count - index) * 15}ms`;
        return chatRequest({
          callId: `call-${index}`,
          body: JSON.stringify({ model, messages: [{ role: "user", content: "x" }] }),
        });
      });
      client.send(requests.join(""));
      await client.answer(count - 1);
      expect(client.answers.map(({ status }) => status)).toEqual(Array(count).fill(200));
      expect(client.answers.map(({ headers }) => headers.get("x-gw-call-id"))).toEqual(
        Array.from({ length: count }, (_, index) => `call-${index}`),
      );
      await expectUsable(client);
      expectQuiet(edge);
      client.close();
    },
  );

  test("are answered in order, including rejections, streams, chunked bodies, and other paths", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    const streamed = '{"model":"sim/lorem?tokens=5","stream":true,"messages":[{"role":"user","content":"x"}]}';
    const slow = '{"model":"sim/slow?ttft=30ms","messages":[{"role":"user","content":"x"}]}';
    client.send(
      [
        chatRequest({ body: slow }),
        chatRequest({ key: "sk-unknown" }),
        chatRequest({ body: streamed }),
        "GET /elsewhere HTTP/1.1\r\nhost: gateway.test\r\n\r\n",
        chatRequest({ body: "{" }),
        chatHead({ framing: ["transfer-encoding: chunked"] }) + inChunks(CHAT_BODY, 5),
      ].join(""),
    );
    await client.answer(5);
    expect(client.answers.map(({ status }) => status)).toEqual([200, 401, 200, 404, 422, 200]);
    expect(client.answers[2]?.body).toMatch(/data: \[DONE\]\n\n$/);
    await expectUsable(client);
    expectQuiet(edge);
    client.close();
  });

  test("are answered even if garbage follows a request in progress", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    const slow = '{"model":"sim/slow?ttft=40ms","messages":[{"role":"user","content":"x"}]}';
    client.send(
      `${chatRequest({ callId: "first", body: slow })}\x00garbage\r\n\r\n${chatRequest({ callId: "never" })}`,
    );
    await client.closed();
    const [first, ...others] = client.answers;
    expect([first?.status, first?.headers.get("x-gw-call-id")]).toEqual([200, "first"]);
    // The garbage is refused if it is read only after the response, and otherwise ends the connection with it.
    expect(others.every(({ status, headers }) => status === 400 && headers.get("connection") === "close")).toBe(true);
    expect(client.unread).toBe("");
    expect(edge.records.map(({ callId }) => callId)).toEqual(["first"]);
    expectQuiet(edge);
  });

  test("get no response after a rejection that closes the connection, regardless of later bytes", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(`${chatRequest({ headers: ["a_b: c"] })}${chatRequest({ callId: "never" })}\x00garbage\r\n\r\n`);
    await client.closed();
    expect(client.answers.map(({ status }) => status)).toEqual([400]);
    expect(client.unread).toBe("");
    expect(edge.records).toEqual([]);
    expectQuiet(edge);
  });

  test("get a pending last response before the connection closes, regardless of later bytes", async () => {
    const work = gate();
    await using edge = await startEdge({
      rest: (_request, response) => {
        void work.passed.then(() => response.writeHead(200, { "content-length": "0" }).end());
      },
    });
    const client = await RawClient.connect(edge.port);
    const unreadChunks = "GET /elsewhere HTTP/1.1\r\nhost: gateway.test\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    client.send(`${unreadChunks}${chatRequest({ callId: "never" })}\x00garbage\r\n\r\n`);
    await waitFor("the request to be handed on", () => edge.restTargets.length === 1);
    await waitFor("ten turns of the loop", countTo(10));
    expect(client.answers).toEqual([]);
    work.open();
    await client.closed();
    expect(client.answers.map(({ status }) => status)).toEqual([200]);
    expect(client.unread).toBe("");
    expect(edge.records).toEqual([]);
    expectQuiet(edge);
  });

  test("are answered before a later upgrade request is rejected", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    const slow = '{"model":"sim/slow?ttft=40ms","messages":[{"role":"user","content":"x"}]}';
    const upgrade = chatRequest({ headers: ["connection: upgrade", "upgrade: websocket"] });
    client.send(chatRequest({ callId: "first", body: slow }) + upgrade + chatRequest({ callId: "never" }));
    await client.closed();
    expect(client.answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(edge.records.map(({ callId }) => callId)).toEqual(["first"]);
    expectQuiet(edge);
  });

  test("are limited to 1,000 per connection, and the last response announces the close", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    const perConnection = 1_000;
    for (let sent = 0; sent < perConnection; sent += 50) {
      client.send(chatRequest().repeat(50));
      await client.answer(sent + 49);
    }
    expect(client.answers.at(-2)?.headers.get("connection")).toBe("keep-alive");
    expect(client.answers.at(-1)?.headers.get("connection")).toBe("close");
    expect(edge.records).toHaveLength(perConnection);
    client.close();
  });
});

describe("Expect: 100-continue", () => {
  const expecting = (key?: string) =>
    chatHead({ headers: ["expect: 100-continue"], ...(key !== undefined && { key }), body: CHAT_BODY });

  test("sends 100 Continue only after the key is verified", async () => {
    const lookup = gate();
    await using edge = await startEdge({ beforeKeyLookup: () => lookup.passed });
    const client = await RawClient.connect(edge.port);
    client.send(expecting());
    await waitFor("the call to begin", () => edge.http.liveCalls === 1);
    await waitFor("ten turns of the loop", countTo(10));
    expect(client.interim).toEqual([]);
    lookup.open();
    await waitFor("the word to go on", () => client.interim.length > 0);
    client.send(CHAT_BODY);
    expect((await client.answer(0)).status).toBe(200);
    expect(client.interim).toEqual([100]);
    await expectUsable(client);
    client.close();
  });

  test("rejects an invalid key without 100 Continue and closes the connection", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(expecting("sk-unknown"));
    await client.closed();
    expect(client.interim).toEqual([]);
    expect(client.answers.map(({ status }) => status)).toEqual([401]);
    expect(client.answers[0]?.headers.get("connection")).toBe("close");
    expectQuiet(edge);
  });

  test("accepts a body that arrives before 100 Continue", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(expecting() + CHAT_BODY);
    expect((await client.answer(0)).status).toBe(200);
    await expectUsable(client);
    client.close();
  });

  test("rejects a body that is too large before it is sent", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(chatHead({ headers: ["expect: 100-continue"], framing: [`content-length: ${51 * MIB}`] }));
    await client.closed();
    expect(client.interim).toEqual([]);
    expect(client.answers.map(({ status }) => status)).toEqual([413]);
    expectQuiet(edge);
  });
});

describe("the body size limit", () => {
  const yaml = "general_settings: { max_request_size_mb: 2 }";

  test("applies to the Content-Length before the body is read, and the connection closes", async () => {
    await using started = await startWithUpstream({ yaml });
    const client = await RawClient.connect(started.edge.port);
    client.send(chatHead({ framing: [`content-length: ${2 * MIB + 1}`] }) + "x".repeat(1_000));
    await client.closed();
    expect(client.answers.map(({ status }) => status)).toEqual([413]);
    expect(JSON.parse(client.answers[0]?.body ?? "")).toMatchObject({ error: { code: "request_too_large" } });
    expect(started.upstream.requests).toHaveLength(0);
    expectQuiet(started.edge);
  });

  test("allows a body of exactly that size", async () => {
    await using started = await startWithUpstream({ yaml });
    const client = await RawClient.connect(started.edge.port);
    client.send(chatRequest({ body: bodyOf("x".repeat(2 * MIB - bodyOf("").length)) }));
    expect((await client.answer(0)).status).toBe(200);
    await expectUsable(client);
    client.close();
  });

  test("applies to a chunked body as it arrives, and the connection closes", async () => {
    await using started = await startWithUpstream({ yaml });
    const client = await RawClient.connect(started.edge.port);
    client.send(chatHead({ framing: ["transfer-encoding: chunked"] }));
    const chunk = `10000\r\n${"x".repeat(64 * KIB)}\r\n`;
    for (let sent = 0; sent < 4 * MIB && !client.isClosed; sent += 64 * KIB) await client.sendApart(chunk);
    await client.closed();
    expect(client.answers.map(({ status }) => status)).toEqual([413]);
    expect(started.upstream.requests).toHaveLength(0);
    expectQuiet(started.edge);
  });
});

describe("rejections before the body", () => {
  test.each([
    ["100 bytes", 100],
    ["64 KiB, the limit before authentication", 64 * KIB],
    ["64 KiB and one byte", 64 * KIB + 1],
    ["1 MiB", MIB],
  ])("leave the connection usable if the key is invalid and the body has %s", async (_, length) => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(chatHead({ key: "sk-unknown", framing: [`content-length: ${length}`] }));
    expect((await client.answer(0)).status).toBe(401);
    client.send("x".repeat(length));
    await expectUsable(client);
    expectQuiet(edge);
    client.close();
  });

  test("leave the connection usable if the body arrives while an invalid key is being checked", async () => {
    const lookup = gate();
    let lookups = 0;
    await using edge = await startEdge({
      beforeKeyLookup: () => {
        lookups += 1;
        return lookups === 1 ? lookup.passed : Promise.resolve();
      },
    });
    const sockets = () => [...edge.http.connections.all()].map(({ socket }) => socket);
    const client = await RawClient.connect(edge.port);
    client.send(chatRequest({ key: "sk-unknown", body: "x".repeat(MIB) }));
    await waitFor("the server to stop reading", () => (sockets()[0]?.bytesRead ?? 0) >= 64 * KIB);
    await waitFor("ten turns of the loop", countTo(10));
    expect(sockets()[0]?.bytesRead).toBeLessThan(MIB);
    lookup.open();
    expect((await client.answer(0)).status).toBe(401);
    await expectUsable(client);
    expectQuiet(edge);
    client.close();
  });

  test("close the connection if the body is too large to discard", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(chatHead({ key: "sk-unknown", framing: [`content-length: ${MIB + 1}`] }));
    await client.closed();
    expect(client.answers.map(({ status }) => status)).toEqual([401]);
    expectQuiet(edge);
  });

  test("reach a client that keeps sending, without a connection reset", async () => {
    await using edge = await startEdge();
    for (const framing of [`content-length: ${40 * MIB}`, "transfer-encoding: chunked"]) {
      const client = await RawClient.connect(edge.port, { allowHalfOpen: true });
      client.send(chatHead({ key: "sk-unknown", framing: [framing] }));
      const piece = framing.startsWith("content") ? "x".repeat(MIB) : `100000\r\n${"x".repeat(MIB)}\r\n`;
      for (let sent = 0; sent < 40; sent += 1) await client.sendApart(piece);
      expect(client.answers.map(({ status }) => status)).toEqual([401]);
      expect(client.errors).toEqual([]);
      client.close();
    }
    expectQuiet(edge);
  });

  test("do not reset the connection if a malformed body arrives later", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port, { allowHalfOpen: true });
    client.send(chatHead({ key: "sk-unknown", framing: ["transfer-encoding: chunked"] }));
    expect((await client.answer(0)).status).toBe(401);
    await waitFor("the server to have said its last", () => client.socket.readableEnded);
    await client.sendApart("not a size\r\n");
    await client.sendApart("x".repeat(1_000));
    await waitFor("ten turns of the loop", countTo(10));
    expect(edge.http.connections.size).toBe(1);
    expect(client.errors).toEqual([]);
    expect(client.answers).toHaveLength(1);
    client.close();
  });

  test("report an invalid key before any error in the body", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(chatRequest({ key: "sk-unknown", body: "{".repeat(100) }));
    expect((await client.answer(0)).status).toBe(401);
    client.send(chatHead({ key: "sk-unknown", framing: [`content-length: ${60 * MIB}`] }));
    expect((await client.answer(1)).status).toBe(401);
    await client.closed();
    expectQuiet(edge);
  });

  test("are sent once for a malformed body, in the gateway's error format", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    client.send(`${chatHead({ callId: "broken", framing: ["transfer-encoding: chunked"] })}5\r\n{"mod\r\nnot a size`);
    await client.closed();
    expect(client.answers.map(({ status, headers }) => [status, headers.get("x-gw-call-id")])).toEqual([
      [400, "broken"],
    ]);
    expect(client.unread).toBe("");
    expectQuiet(edge);
  });
});

/** Returns a condition that becomes true after `count` checks. */
function countTo(count: number): () => boolean {
  let checks = 0;
  return () => {
    checks += 1;
    return checks > count;
  };
}
