import type { Socket } from "node:net";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import {
  type Behavior,
  reply,
  replyRaw,
  replyThenUnexpected,
  replyWithWrongLength,
  streamFrames,
  trickle,
} from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import type { TestGateway } from "../../test-gateway.fixture.ts";
import { errorOf, test } from "./chat-gateway.fixture.ts";

const poison = JSON.stringify(chatAnswer({ content: "POISON" }));
const poisonAnswer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${poison.length}\r\n\r\n${poison}`;
const head = (...lines: string[]) =>
  `${["HTTP/1.1 200 OK", "content-type: application/json", ...lines].join("\r\n")}\r\n\r\n`;

describe("a malformed upstream response results in a 502 and does not affect the next call", () => {
  const rows: readonly [string, Behavior, object?][] = [
    ["a Brotli-compressed response", reply(200, "x".repeat(100), { "content-encoding": "br" })],
    ["a response with five content encodings", reply(200, "x", { "content-encoding": "gzip, gzip, gzip, gzip, gzip" })],
    ["a compressed stream", streamFrames(chatFrames(), { headers: { "content-encoding": "gzip" } }), { stream: true }],
    ["a compressed error", reply(500, "x", { "content-encoding": "deflate" })],
    ["an HTML page", reply(200, "<html><body>It works!</body></html>", { "content-type": "text/html" })],
    ["another protocol", replyRaw("SSH-2.0-OpenSSH_9.6\r\n")],
    ["binary data", replyRaw(Buffer.from([0, 1, 2, 3, 255, 254, 13, 10, 13, 10]))],
    ["oversized headers", replyRaw(head(`x-filler: ${"x".repeat(100_000)}`))],
    ["two Content-Length headers", replyRaw(`${head("content-length: 2", "content-length: 3")}{}x`)],
    [
      "both Content-Length and chunks",
      replyRaw(`${head("content-length: 2", "transfer-encoding: chunked")}2\r\n{}\r\n0\r\n\r\n`),
    ],
    ["malformed chunks", replyRaw(`${head("transfer-encoding: chunked")}zz\r\n{}\r\n`)],
    ["a Content-Length below the response size", replyWithWrongLength(chatAnswer(), 40)],
    ["a redirect", reply(307, "", { location: "http://127.0.0.1:9/" })],
  ];

  test.for(rows)("%s", async ([, behavior, fields], { gateway, upstreams }) => {
    upstreams.alpha.behaves(behavior, reply(200, chatAnswer({ content: "sound" })));
    const answer = await gateway.chat({ model: "alpha", ...fields });
    const { code, message } = await errorOf(answer);
    expect([answer.status, code]).toEqual([502, "bad_gateway"]);
    expect(message).not.toMatch(/HPE_|undici|parse/i);
    await expectSound(gateway);
    expect(gateway.records.map(({ statusCode }) => statusCode)).toEqual([502, 200]);
  });

  test("a response of 40 megabytes, which the gateway stops reading", async ({ gateway, upstreams }) => {
    const piece = Buffer.alloc(1024 * 1024, 120);
    let sent = 0;
    upstreams.alpha.behaves(
      async ({ response, gone }) => {
        response.writeHead(200, { "content-type": "application/json" });
        for (; sent < 40 && !gone.aborted; sent += 1) await new Promise((resolve) => response.write(piece, resolve));
        response.end();
      },
      reply(200, chatAnswer({ content: "sound" })),
    );
    const answer = await gateway.chat({ model: "alpha" });
    expect([answer.status, (await errorOf(answer)).code]).toEqual([502, "bad_gateway"]);
    expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
    expect(sent).toBeLessThan(40);
    await expectSound(gateway);
  });

  test("a response shorter than its declared length, which causes a timeout instead", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.behaves(replyWithWrongLength(chatAnswer(), 100_000), reply(200, chatAnswer({ content: "sound" })));
    expect((await gateway.chat({ model: "alpha", timeout: 0.2 })).status).toBe(408);
    await expectSound(gateway);
  });
});

describe("unexpected upstream bytes never become a response", () => {
  test("when they immediately follow a response", async ({ gateway, upstreams }) => {
    upstreams.alpha.behaves(replyThenUnexpected(chatAnswer({ content: "sound" }), poisonAnswer));
    for (let index = 0; index < 100; index += 1) await expectSound(gateway);
    const many = Array.from({ length: 200 }, () => expectSound(gateway));
    await Promise.all(many);
  });

  test("when they arrive later on an idle connection", async ({ gateway, upstreams }) => {
    const sockets: Socket[] = [];
    upstreams.alpha.behaves((exchange) => {
      sockets.push(exchange.socket);
      return reply(200, chatAnswer({ content: "sound" }))(exchange);
    });
    for (let round = 0; round < 50; round += 1) {
      await expectSound(gateway);
      const used = sockets.at(-1) as Socket;
      used.write(poisonAnswer);
      await waitFor("the gateway to hang up", () => used.closed);
    }
    expect(new Set(sockets).size).toBe(50);
  });

  test("when they are the rest of a stream whose client disconnected", async ({ gateway, upstreams }) => {
    upstreams.alpha.behaves(
      streamFrames(chatFrames({ content: "POISON" }), { delayMs: 10 }),
      reply(200, chatAnswer({ content: "sound" })),
    );
    const answer = await gateway.chat({ model: "alpha", stream: true });
    await answer.body?.cancel();
    await upstreams.alpha.ended(0);
    // The gateway reads the stream to the end to get the usage, so no bytes are left on the connection, and it may be
    // reused.
    await expectSound(gateway);
    expect(upstreams.alpha.requests).toHaveLength(2);
  });
});

describe("an upstream with unusual behavior", () => {
  test("that closes the connection after each response is called over a new connection", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.replies(200, chatAnswer({ content: "sound" }), { connection: "close" });
    for (let index = 0; index < 10; index += 1) await expectSound(gateway);
    expect(upstreams.alpha.connectionCount).toBe(10);
  });

  test("that sends its response in small pieces gets enough time", async ({ gateway, upstreams }) => {
    const body = chatAnswer({ content: "sound — é😀" });
    upstreams.alpha.behaves(trickle(body, { bytesPerWrite: 7, delayMs: 1 }));
    const answer = await gateway.chat({ model: "alpha" });
    expect(await answer.json()).toEqual({ ...body, model: "alpha" });
  });

  test("that sends invalid headers causes a 502", async ({ gateway, upstreams }) => {
    upstreams.alpha.behaves(
      replyRaw(`${head("content-length: 2", "x-request-id: caf\u00e9\u0001", "openai-version: 1")}{}`),
      reply(200, chatAnswer(), { "x-request-id": "ok" }),
    );
    expect((await gateway.chat({ model: "alpha" })).status).toBe(502);
    expect((await gateway.chat({ model: "alpha" })).headers.get("llm_provider-x-request-id")).toBe("ok");
  });

  test("that responds normally again is called over the same connection", async ({ gateway, upstreams }) => {
    upstreams.alpha.replies(200, chatAnswer({ content: "sound" }));
    for (let index = 0; index < 100; index += 1) await expectSound(gateway);
    expect(upstreams.alpha.connectionCount).toBeLessThan(50);
  });
});

async function expectSound(gateway: TestGateway): Promise<void> {
  const answer = await gateway.chat({ model: "alpha" });
  const body = (await answer.json()) as { choices?: { message: { content: string } }[] };
  expect([answer.status, body.choices?.[0]?.message.content]).toEqual([200, "sound"]);
}
