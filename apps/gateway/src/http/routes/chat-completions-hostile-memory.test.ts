import { gzipSync } from "node:zlib";
import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { describe, expect } from "vitest";
import { heldBytes } from "../../held-memory.fixture.ts";
import { test } from "./chat-gateway.fixture.ts";

const MEGABYTE = 1024 * 1024;
const zeros = Buffer.alloc(MEGABYTE);
const letters = Buffer.alloc(MEGABYTE, 120);
/** The gateway reads 32 MiB of a response, and the rest is in the buffers of sockets. */
const MAX_SENT_BYTES = 64 * MEGABYTE;
const EVENTS = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };

/** Sends the same chunk until the client disconnects or ten gigabytes have been sent. */
function pour(headers: Record<string, string>, first: string, piece: Buffer): Behavior {
  return async ({ response, gone }) => {
    response.writeHead(200, headers);
    response.write(first);
    for (let sent = 0; sent < 10_240 && !gone.aborted; sent += 1) {
      await new Promise((resolve) => response.write(piece, resolve));
    }
    response.end();
  };
}

const frame = Buffer.from(
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "word ".repeat(10_000) }, finish_reason: null }] })}\n\n`,
);

describe("aborts an upstream that sends too much, and memory grows by less than 16 MiB", () => {
  test.for([
    ["ten gigabytes of zeros", pour(JSON_TYPE, "", zeros), {}],
    ["a response of ten gigabytes", pour(JSON_TYPE, '{"choices":["', letters), {}],
    ["a stream of zeros", pour(EVENTS, "", zeros), { stream: true }],
    ["a line of ten gigabytes", pour(EVENTS, "data: {", letters), { stream: true }],
    ["a line of ten gigabytes after a frame", pour(EVENTS, `${frame}data: {`, letters), { stream: true }],
    ["endless text", pour(EVENTS, "", frame), { stream: true, max_tokens: 100 }],
    ["endless comments", pour(EVENTS, "", Buffer.from(": hi\n\n".repeat(10_000))), { stream: true }],
    ["a decompression bomb", reply(200, gzipSync(Buffer.alloc(50 * MEGABYTE)), { "content-encoding": "gzip" }), {}],
    ["an error response of ten gigabytes", failing(), {}],
  ] as const)("%s", async ([, behavior, fields], { start, upstreams }) => {
    const priced = `api_key: sk-1, input_cost_per_token: 0.000001, output_cost_per_token: 0.000001`;
    const params = `{ model: openai/upstream-1, api_base: "${upstreams.alpha.origin}/v1", ${priced} }`;
    const yaml = `  - { model_name: priced, litellm_params: ${params} }`;
    const gateway = await start({ yaml });
    let sentBytes = () => 0;
    upstreams.alpha.behaves((exchange) => {
      const before = exchange.socket.bytesWritten;
      sentBytes = () => exchange.socket.bytesWritten - before;
      return behavior(exchange);
    });
    const suffer = async () => {
      const answer = await gateway.chat({ model: "priced", ...fields });
      let length = 0;
      for await (const piece of answer.body ?? []) length += (piece as Uint8Array).length;
      return length;
    };
    for (let round = 0; round < 6; round += 1) await suffer();
    const before = heldBytes();
    for (let round = 0; round < 8; round += 1) {
      expect(await suffer()).toBeLessThan(8 * MEGABYTE);
      expect(sentBytes()).toBeGreaterThan(0);
      expect(sentBytes()).toBeLessThan(MAX_SENT_BYTES);
    }
    expect(heldBytes() - before).toBeLessThan(16 * MEGABYTE);
  });
});

function failing(): Behavior {
  return async ({ response, gone }) => {
    response.writeHead(500, JSON_TYPE);
    while (!gone.aborted) await new Promise((resolve) => response.write(letters, resolve));
  };
}
