import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { chatAnswer, chatFrames, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { MASTER_KEY, type TestGateway } from "../../test-gateway.fixture.ts";
import { startEdge } from "../edge.fixture.ts";
import { chunk, postTo, test } from "./chat-gateway.fixture.ts";

const messages = [{ role: "user", content: "hello" }];
const stream = { model: "alpha", stream: true };
/** A response with short visible text and hidden output that appears only in the usage report. */
const HIDDEN = { pieces: ["one ", "two ", "three"], inputTokens: 12, outputTokens: 8_000 };
const frames = chatFrames(HIDDEN);
const reported = { inputTokens: 12, outputTokens: 8_000, source: "reported" };

/** The same request for each API that streams text. */
const wires = [
  ["/v1/chat/completions", { ...stream, messages, max_tokens: 10_000 }],
  ["/v1/messages", { ...stream, messages, max_tokens: 10_000 }],
  ["/v1/responses", { ...stream, input: "hello", max_output_tokens: 10_000 }],
] as const;

const priced = (origin: string, limits: string) =>
  `  - { model_name: priced, litellm_params: { model: openai/x, api_base: "${origin}", ${limits}, input_cost_per_token: 0.000001, output_cost_per_token: 0.000004 } }`;

/** Time in which the gateway notices that a client has disconnected. It takes one turn of the event loop. */
const NOTICED_MS = 100;

/** Sends a request. Returns an object with the text received so far and a function that disconnects. */
function open({ port }: Pick<TestGateway, "port">, path: string, body: object) {
  const leaving = new AbortController();
  const received = { text: "", leave: () => leaving.abort() };
  const read = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      signal: leaving.signal,
      headers: { "content-type": "application/json", "x-gw-api-key": MASTER_KEY },
      body: JSON.stringify(body),
    });
    const decoder = new TextDecoder();
    for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) received.text += decoder.decode(part);
  };
  read().catch(() => {});
  return received;
}

/** Makes a call over the agent's only connection. */
function callOver(agent: Agent, gateway: TestGateway, fields: object) {
  return new Promise<{ status: number; isReused: boolean; text: string }>((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-gw-api-key": MASTER_KEY };
    const calling = request(`${gateway.url}/v1/chat/completions`, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.on("data", (data: Buffer) => (text += data.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, isReused: calling.reusedSocket, text }));
    });
    calling.once("error", reject);
    calling.end(JSON.stringify({ messages, ...fields }));
  });
}

/** Sends a complete response after the promise has resolved. */
function replyAfter(ready: Promise<void>, ...answer: Parameters<typeof reply>): Behavior {
  return async (exchange) => {
    await ready;
    await reply(...answer)(exchange);
  };
}

async function recordOf({ records }: Pick<TestGateway, "records">) {
  await waitFor("the record", () => records.length === 1);
  return records[0];
}

describe("a client that disconnects", () => {
  for (const [path, body] of wires) {
    test.for([
      ["before the headers", ""],
      ["after the first word", "one "],
      ["after the second word", "two "],
      ["after the last word", "three"],
    ] as const)(
      `is charged the amount that the upstream bills: ${path}, %s`,
      async ([, seen], { gateway, upstreams }) => {
        const left = Promise.withResolvers<void>();
        upstreams.alpha.streams(frames, {
          beforeFrame: (index) => frames.slice(0, index).join("").includes(seen) && left.promise,
        });
        const client = open(gateway, path, body);
        await upstreams.alpha.request(0);
        await waitFor(`'${seen}'`, () => client.text.includes(seen));
        client.leave();
        await pause(NOTICED_MS);
        left.resolve();
        expect(await recordOf(gateway)).toMatchObject({
          status: "client_disconnect",
          statusCode: 499,
          errorCode: null,
          usage: reported,
        });
        expect((await upstreams.alpha.ended(0)).end?.kind).toBe("answered");
      },
    );
  }

  test("from a non-streaming request is charged for the usage that the upstream reports", async ({
    gateway,
    upstreams,
  }) => {
    const left = Promise.withResolvers<void>();
    upstreams.alpha.behaves(replyAfter(left.promise, 200, chatAnswer(HIDDEN)));
    const client = open(gateway, "/v1/chat/completions", { model: "alpha", messages });
    await upstreams.alpha.request(0);
    client.leave();
    await pause(NOTICED_MS);
    left.resolve();
    expect(await recordOf(gateway)).toMatchObject({ status: "client_disconnect", usage: reported });
  });

  test("pays nothing if the upstream then fails, and the gateway makes no further attempt", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: "router_settings: { num_retries: 3, disable_cooldowns: true }" });
    const left = Promise.withResolvers<void>();
    upstreams.alpha.behaves(replyAfter(left.promise, 500, { error: { message: "broken" } }));
    const client = open(gateway, "/v1/chat/completions", { model: "alpha", messages });
    await upstreams.alpha.request(0);
    client.leave();
    await pause(NOTICED_MS);
    left.resolve();
    expect(await recordOf(gateway)).toMatchObject({ status: "client_disconnect", cost: 0n });
    expect(upstreams.alpha.requests).toHaveLength(1);
  });

  test.for([true, false])(
    "pays for its max output tokens if the deployment's timeout expires first (stream: %s)",
    async (isStream, { upstreams }) => {
      const yaml = `model_list:\n${priced(upstreams.alpha.origin, "timeout: 3")}`;
      await using gateway = await startEdge({ yaml, isClockStopped: true });
      if (isStream) upstreams.alpha.streams([sseFrame(chunk("a"))], { hangAfterFrames: 1 });
      else upstreams.alpha.hangs();
      const client = open(gateway, "/v1/chat/completions", {
        model: "priced",
        stream: isStream,
        messages,
        max_tokens: 70,
      });
      await upstreams.alpha.request(0);
      client.leave();
      await waitFor("the gateway to notice", () => gateway.http.connections.size === 0);
      gateway.advance(3_001);
      expect(await recordOf(gateway)).toMatchObject({
        status: "client_disconnect",
        errorCode: "disconnect_timeout",
        usage: { outputTokens: 70, source: "estimated" },
      });
      expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
    },
  );

  test("does not delay a shutdown", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: priced(upstreams.alpha.origin, "timeout: 60") });
    upstreams.alpha.streams([sseFrame(chunk("a"))], { hangAfterFrames: 1 });
    const client = open(gateway, "/v1/chat/completions", { ...stream, model: "priced", messages, max_tokens: 70 });
    await waitFor("a word", () => client.text.includes('"a"'));
    client.leave();
    await pause(50);
    expect(gateway.records).toEqual([]);
    await gateway.gateway.drain(50);
    expect(gateway.records).toMatchObject([
      { status: "client_disconnect", errorCode: "disconnect_drain", usage: { outputTokens: 70, source: "estimated" } },
    ]);
  });
});

describe("a caller's own deadline", () => {
  test.for([
    ["before the headers", { stream: false, timeout: 0.1 }, "timeout"],
    ["before the first frame", { stream: true, stream_timeout: 0.1 }, "stream_timeout"],
  ] as const)(
    "applies, and the caller also pays for output that the upstream produces after the deadline: %s",
    async ([, fields, code], { start, upstreams }) => {
      const gateway = await start({ yaml: "router_settings: { num_retries: 5, disable_cooldowns: true }" });
      const isRefused = Promise.withResolvers<void>();
      upstreams.alpha.behaves(
        fields.stream
          ? replyAfter(isRefused.promise, 200, frames.join(""), { "content-type": "text/event-stream" })
          : replyAfter(isRefused.promise, 200, chatAnswer(HIDDEN)),
      );
      const answer = await gateway.chat({ model: "alpha", messages, max_tokens: 10_000, ...fields });
      expect(answer.status).toBe(408);
      expect(await answer.json()).toMatchObject({ error: { code } });
      expect(gateway.records).toEqual([]);
      isRefused.resolve();
      expect(await recordOf(gateway)).toMatchObject({ status: "failure", errorCode: code, usage: reported });
      expect(upstreams.alpha.requests).toHaveLength(1);
    },
  );

  test("that expires just before the usage report does not make hidden output free", async ({ gateway, upstreams }) => {
    const [usage, done] = frames.slice(-2) as [string, string];
    const isCut = Promise.withResolvers<void>();
    upstreams.alpha.behaves(async ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(frames.slice(0, -2).join(""));
      await isCut.promise;
      response.end(usage + done);
    });
    const answer = await gateway.chat({ ...stream, messages, max_tokens: 10_000, stream_timeout: 0.1 });
    const text = await answer.text();
    isCut.resolve();
    expect(text).toContain("stream_timeout");
    expect(text).not.toContain("[DONE]");
    expect(await recordOf(gateway)).toMatchObject({ status: "failure", errorCode: "stream_timeout", usage: reported });
  });
});

describe("a connection whose last call exceeded the caller's deadline", () => {
  test.for([
    ["before the headers", { stream: false, timeout: 0.1 }, 408],
    ["in the middle of a stream", { stream: true, stream_timeout: 2 }, 200],
  ] as const)("can be used for the next request: %s", async ([, fields, status], { gateway, upstreams }) => {
    upstreams.alpha.streams([sseFrame(chunk("a"))], { hangAfterFrames: 1 });
    if (!fields.stream) upstreams.alpha.hangs();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await callOver(agent, gateway, { model: "alpha", ...fields });
    expect(first.status).toBe(status);
    expect(first.text).toContain("timeout");
    expect(await callOver(agent, gateway, { model: "sim/echo" })).toMatchObject({ status: 200, isReused: true });
    agent.destroy();
  });
});

describe("a client of a deployment that aborts on disconnect", () => {
  const aborting = (origin: string) =>
    `  - { model_name: brief, litellm_params: { model: openai/x, api_base: "${origin}", on_disconnect: abort } }`;

  test("pays for the input and the text sent if it disconnects in the middle of a stream, and the upstream request is aborted within 100 ms", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: aborting(upstreams.alpha.origin) });
    upstreams.alpha.streams([sseFrame(chunk("a")), sseFrame(chunk("b"))], { hangAfterFrames: 2 });
    const client = open(gateway, "/v1/chat/completions", { model: "brief", stream: true, messages });
    await waitFor("both frames", () => client.text.includes('"b"'));
    const awakeTime = watchAwakeTime();
    const leftAtMs = performance.now();
    client.leave();
    const { end } = await upstreams.alpha.ended(0);
    expect(end?.kind).toBe("aborted");
    expect(awakeTime(leftAtMs, end?.atMs as number)).toBeLessThan(100);
    expect(await recordOf(gateway)).toMatchObject({ status: "client_disconnect", statusCode: 499, errorCode: null });
    expect(gateway.records[0]?.usage).toMatchObject({ source: "estimated", outputTokens: 1 });
    expect(gateway.records[0]?.usage.inputTokens).toBeGreaterThan(0);
  });

  test.for([
    ["a whole response", { stream: false }],
    ["the first frame", { stream: true }],
  ] as const)(
    "pays for the input if it disconnects while it waits for %s",
    async ([, fields], { start, upstreams }) => {
      const gateway = await start({ yaml: aborting(upstreams.alpha.origin) });
      upstreams.alpha.hangs();
      const client = open(gateway, "/v1/chat/completions", { model: "brief", messages, ...fields });
      await upstreams.alpha.request(0);
      client.leave();
      expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
      expect(await recordOf(gateway)).toMatchObject({ status: "client_disconnect", usage: { outputTokens: 0 } });
      expect(gateway.records[0]?.usage.inputTokens).toBeGreaterThan(0);
    },
  );

  test("counts as disconnected after it stops reading, and the gateway does not buffer the whole response", async ({
    upstreams,
  }) => {
    const target = `{ model: openai/x, api_base: "${upstreams.alpha.origin}", on_disconnect: abort }`;
    await using edge = await startEdge({ yaml: `model_list: [{ model_name: alpha, litellm_params: ${target} }]` });
    const frame = sseFrame(chunk("x".repeat(32_000)));
    const sentAtMs: number[] = [];
    upstreams.alpha.behaves(async ({ response, gone }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      while (sentAtMs.length < 2_000 && !gone.aborted) {
        sentAtMs.push(performance.now());
        if (!response.write(frame)) await once(response, "drain", { signal: gone });
      }
    });
    const answer = await postTo(edge.port, stream);
    const reader = (answer.body as ReadableStream).getReader();
    await reader.read();
    await waitFor("the stream to stand still", () => performance.now() - (sentAtMs.at(-1) as number) > 150);
    expect(sentAtMs.length).toBeLessThan(1_500);
    // A client that reads nothing for half a minute counts as disconnected.
    edge.advance(31_000);
    expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
    await waitFor("the record", () => edge.records.length === 1);
    expect(edge.records[0]).toMatchObject({ status: "client_disconnect" });
  });
});
