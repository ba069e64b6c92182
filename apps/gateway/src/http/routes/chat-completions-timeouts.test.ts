import { setTimeout as pause } from "node:timers/promises";
import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { startEdge } from "../edge.fixture.ts";
import { chunk, chunksOf, errorOf, postTo, readerOf, test } from "./chat-gateway.fixture.ts";

const stream = { model: "brief", stream: true };
/** Deployments that abort on disconnect, so that the end of the upstream request shows when a timeout applied. */
const brief = (origin: string, limits = "") =>
  `{ model: openai/x, api_base: "${origin}", on_disconnect: abort${limits} }`;

/** Starts a gateway whose clock only the test advances. */
const startStopped = (origin: string) =>
  startEdge({
    yaml: `
model_list:
  - { model_name: brief, litellm_params: ${brief(origin)} }
  - { model_name: quick, litellm_params: ${brief(origin, ", timeout: 0.3, stream_timeout: 0.2")} }
router_settings: { num_retries: 0, disable_cooldowns: true }`,
    isClockStopped: true,
  });

/** Longer than the time between two checks of all deadlines. */
const CHECKED_MS = 150;

describe("timeouts", () => {
  test.for([
    ["the body", { timeout: 0.1 }, {}, "0.1", "timeout"],
    ["a header", {}, { "x-gw-timeout": "0.1" }, "0.1", "timeout"],
    ["the body if a header also sets one", { timeout: 0.1 }, { "x-gw-timeout": "60" }, "0.1", "timeout"],
    ["the deployment", { model: "quick" }, {}, "0.3", "timeout"],
    ["the body, for streams", { stream: true, stream_timeout: 0.1 }, {}, "0.1", "stream_timeout"],
    ["a header, for streams", { stream: true }, { "x-gw-stream-timeout": "0.1" }, "0.1", "stream_timeout"],
    ["the general timeout, for streams", { stream: true, timeout: 0.1 }, {}, "0.1", "stream_timeout"],
    ["the deployment, for streams", { model: "quick", stream: true }, {}, "0.2", "stream_timeout"],
  ] as const)("are read from %s", async ([, fields, headers, seconds, code], { upstreams }) => {
    await using edge = await startStopped(upstreams.alpha.origin);
    upstreams.alpha.hangs();
    const asking = postTo(edge.port, { model: "brief", ...fields }, headers);
    const request = await upstreams.alpha.request(0);
    edge.advance(Number(seconds) * 1_000 - 1);
    await pause(CHECKED_MS);
    expect(request.end).toBeNull();
    const awakeTime = watchAwakeTime();
    const dueAtMs = performance.now();
    edge.advance(2);
    const answer = await asking;
    expect([answer.status, (await errorOf(answer)).code]).toEqual([408, code]);
    expect(answer.headers.get("x-gw-timeout")).toBe(seconds);
    const { end } = await upstreams.alpha.ended(0);
    expect(end?.kind).toBe("aborted");
    // Deadlines are checked ten times per second.
    expect(awakeTime(dueAtMs, end?.atMs as number)).toBeLessThan(400);
  });

  test("limit the time between frames", async ({ upstreams }) => {
    await using edge = await startStopped(upstreams.alpha.origin);
    upstreams.alpha.streams([sseFrame(chunk("a")), sseFrame(chunk("b"))], { hangAfterFrames: 2 });
    const received = await readerOf(postTo(edge.port, { ...stream, stream_timeout: 2 }));
    await waitFor("both frames", () => received.text.includes('"b"'));
    edge.advance(2_001);
    await received.done;
    const { chunks, isDone, error } = chunksOf(received.text);
    expect([chunks.length, isDone]).toEqual([2, false]);
    expect(error).toMatchObject({ code: "stream_timeout", type: "timeout_error" });
    expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
  });

  test("limit a whole stream, even if frames continue to arrive", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams(Array(200).fill(sseFrame(chunk("a"))), { delayMs: 20 });
    const answer = await gateway.chat({ ...stream, model: "alpha", timeout: 0.5, stream_timeout: 5 });
    const { isDone, error } = chunksOf(await answer.text());
    expect(isDone).toBe(false);
    expect(error).toMatchObject({ code: "timeout" });
  });

  test("do not end a slow stream that stays within all time limits", async ({ upstreams }) => {
    await using edge = await startStopped(upstreams.alpha.origin);
    const words = ["a", "b", "c"];
    let seen = "";
    upstreams.alpha.streams([...words.map((word) => sseFrame(chunk(word))), "data: [DONE]\n\n"], {
      // All frames together take longer than the time limit of one frame.
      beforeFrame: async (index) => {
        if (index > 0) await waitFor(`frame ${index}`, () => seen.includes(`"${words[index - 1]}"`));
        edge.advance(1_500);
        await pause(CHECKED_MS);
      },
    });
    const answer = await postTo(edge.port, { ...stream, stream_timeout: 2 });
    const decoder = new TextDecoder();
    for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) seen += decoder.decode(part);
    expect(chunksOf(seen)).toMatchObject({ isDone: true, error: undefined });
  });

  test.for<Record<string, string>>([
    { "x-gw-timeout": "soon" },
    { "x-gw-timeout": "-1" },
    { "x-gw-stream-timeout": "1e9" },
  ])("in a header must be valid: %j", async (headers, { gateway }) => {
    const answer = await gateway.chat({ model: "sim/echo" }, headers);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ detail: [{ loc: ["header", Object.keys(headers)[0]] }] });
  });
});
