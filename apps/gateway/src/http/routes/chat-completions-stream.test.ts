import { chatFrames, DONE_FRAME, errorAnswer, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { startEdge } from "../edge.fixture.ts";
import { chunk, chunksOf, errorOf, postTo, readerOf, test } from "./chat-gateway.fixture.ts";

const stream = { model: "alpha", stream: true };

describe("a stream", () => {
  test("forwards the upstream's frames with the caller's model name", async ({ gateway, upstreams }) => {
    const frames = chatFrames({ model: "upstream-1", pieces: ["Grüße, ", "世界", " 😀"], includeUsage: false });
    upstreams.alpha.streams(frames);
    const answer = await gateway.chat(stream);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-gw-model-id": "alpha-1",
      "x-gw-model-group": "alpha",
    });
    expect(answer.headers.has("x-gw-response-cost")).toBe(false);
    expect(await answer.text()).toBe(frames.join("").replaceAll('"upstream-1"', '"alpha"'));
  });

  test("records its usage, and sends the usage to the client only if the client requests it", async ({
    gateway,
    upstreams,
  }) => {
    const frames = chatFrames({ model: "upstream-1", inputTokens: 11, outputTokens: 4 });
    upstreams.alpha.streams(frames);
    const unasked = await (await gateway.chat(stream)).text();
    expect(unasked).not.toContain("usage");
    const asked = await (await gateway.chat({ ...stream, stream_options: { include_usage: true } })).text();
    expect(asked).toBe(frames.join("").replaceAll('"upstream-1"', '"alpha"'));
    expect((await upstreams.alpha.ended(0)).json()).toMatchObject({ stream_options: { include_usage: true } });
    for (const record of gateway.records) {
      expect(record).toMatchObject({ status: "success", isStream: true });
      expect(record.usage).toMatchObject({ inputTokens: 11, outputTokens: 4, source: "reported" });
    }
    expect(gateway.records).toHaveLength(2);
  });

  test("arrives frame by frame", async ({ gateway, upstreams }) => {
    const gate = Promise.withResolvers<void>();
    upstreams.alpha.streams(chatFrames({ pieces: ["one", "two"] }), {
      beforeFrame: (index) => (index === 2 ? gate.promise : undefined),
    });
    const reader = await readerOf(gateway.chat(stream));
    await waitFor("the first word", () => reader.text.includes("one"));
    expect(reader.text).not.toContain("two");
    gate.resolve();
    await reader.done;
    expect(reader.text.endsWith(DONE_FRAME)).toBe(true);
  });

  test("from a simulated model uses the standard format for chunks, choices, and usage", async ({ gateway }) => {
    const body = { model: "sim/lorem?tokens=12", stream: true, n: 2, stream_options: { include_usage: true } };
    const { chunks, isDone } = chunksOf(await (await gateway.chat(body)).text());
    expect(isDone).toBe(true);
    expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(1);
    const choices = chunks.flatMap((each) => each.choices as unknown as Choice[]);
    for (const index of [0, 1]) {
      const own = choices.filter((choice) => choice.index === index);
      expect(own.filter((choice) => choice.delta.role !== undefined)).toEqual([own[0]]);
      const finished = own.filter((choice) => choice.finish_reason !== null);
      expect(finished).toEqual([own.at(-1)]);
      expect(finished[0]?.delta).toEqual({});
    }
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 24 } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  interface Choice {
    readonly index: number;
    readonly delta: { readonly role?: string };
    readonly finish_reason: string | null;
  }

  test("without [DONE] is completed with [DONE] if its response is complete", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams(chatFrames().slice(0, -1));
    const text = await (await gateway.chat(stream)).text();
    expect(chunksOf(text)).toMatchObject({ isDone: true, error: undefined });
  });

  test("keeps an idle connection open with a comment every 15 seconds", async ({ upstreams }) => {
    upstreams.alpha.streams([sseFrame(chunk("a"))], { hangAfterFrames: 1 });
    const target = `{ model: openai/x, api_base: "${upstreams.alpha.origin}" }`;
    await using edge = await startEdge({ yaml: `model_list: [{ model_name: alpha, litellm_params: ${target} }]` });
    const reader = await readerOf(postTo(edge.port, stream));
    await waitFor("the first frame", () => reader.text.includes("data:"));
    edge.advance(16_000);
    await waitFor("a comment", () => reader.text.endsWith("\n\n: keep-alive\n\n"));
    edge.advance(16_000);
    await waitFor("another", () => reader.text.split(": keep-alive").length === 3);
  });
});

describe("a failure before the first frame", () => {
  test("returns a JSON error with the status of the error", async ({ gateway, upstreams }) => {
    const rows = [
      [reply(429, errorAnswer("slow down")), 429, "upstream_rate_limit"],
      [reply(500, errorAnswer("broken")), 500, "internal_error"],
      [streamFrames([], {}), 502, "bad_gateway"],
      [streamFrames([": hello\n\n"], {}), 502, "bad_gateway"],
      [streamFrames([sseFrame(chunk("a"))], { cutAfterFrames: 0 }), 503, "upstream_unreachable"],
      [streamFrames([sseFrame({ error: { message: "slow down", code: 429 } })]), 429, "upstream_rate_limit"],
      [streamFrames([`event: error\n${sseFrame({ error: { message: "x" } })}`]), 500, "internal_error"],
      [reply(200, { choices: [] }), 502, "bad_gateway"],
    ] as const;
    for (const [behavior, status, code] of rows) {
      upstreams.alpha.behaves(behavior);
      const answer = await gateway.chat(stream);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "application/json"]);
      expect((await errorOf(answer)).code).toBe(code);
    }
    expect(gateway.records.map(({ errorCode }) => errorCode)).toEqual(rows.map(([, , code]) => code));
  });

  test("returns 502 if the upstream streams its response to a non-streaming request", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.streams(chatFrames());
    expect((await gateway.chat({ model: "alpha" })).status).toBe(502);
  });

  test("returns 502 if the first frame is never terminated", async ({ gateway, upstreams }) => {
    const piece = `data: ${"x".repeat(256 * 1024)}`;
    upstreams.alpha.streams(Array(40).fill(piece), { delayMs: 5 });
    const answer = await gateway.chat(stream);
    expect([answer.status, (await errorOf(answer)).code]).toEqual([502, "bad_gateway"]);
    expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
  });
});

describe("a failure after the first frame", () => {
  const first = sseFrame(chunk("partial"));

  test.for([
    ["the upstream closes the connection", streamFrames([first, first], { cutAfterFrames: 1 }), "upstream_unreachable"],
    ["the upstream ends early", streamFrames([first]), "bad_gateway"],
    ["the upstream ends within a frame", streamFrames([first, first.slice(0, 50)]), "bad_gateway"],
    [
      "the upstream reports an error",
      streamFrames([first, sseFrame({ error: { message: "no", code: 503 } })]),
      "service_unavailable",
    ],
    [
      "the upstream reports an error and continues",
      streamFrames([first, sseFrame({ error: { message: "no" } }), DONE_FRAME], { hangAfterFrames: 3 }),
      "internal_error",
    ],
    [
      "the upstream sends an unterminated frame",
      streamFrames([first, `data: ${"x".repeat(1_200_000)}`], { hangAfterFrames: 2 }),
      "bad_gateway",
    ],
  ] as const)("sends one error frame and no [DONE] when %s", async ([, behavior, code], { gateway, upstreams }) => {
    // The first frame is flushed separately, so that it arrives before the failure.
    upstreams.alpha.behaves(behavior);
    const answer = await gateway.chat({ ...stream });
    expect(answer.status).toBe(200);
    const { chunks, isDone, error } = chunksOf(await answer.text());
    expect(
      chunks.map((each) => (each.choices as unknown as { delta: { content: string } }[])[0]?.delta.content),
    ).toEqual(["partial"]);
    expect(isDone).toBe(false);
    expect(error).toMatchObject({
      code,
      message: expect.stringMatching(/^[A-Z]/),
      type: expect.any(String),
      param: null,
    });
    await waitFor("the record", () => gateway.records.length === 1);
    expect(gateway.records[0]).toMatchObject({ status: "failure", errorCode: code, isStream: true });
    expect(gateway.records[0]?.usage).toMatchObject({ source: "estimated" });
    // The client's connection can still be used.
    expect((await gateway.chat({ model: "sim/echo" })).status).toBe(200);
  });

  test("sends one error frame for a simulated model whose connection is cut", async ({ gateway }) => {
    const { chunks, isDone, error } = chunksOf(
      await (await gateway.chat({ model: "sim/cut?after=3", stream: true })).text(),
    );
    expect([chunks.length, isDone]).toEqual([3, false]);
    expect(error).toMatchObject({ code: "upstream_unreachable" });
  });
});
