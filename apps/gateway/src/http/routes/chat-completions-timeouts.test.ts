import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { chatFrames, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import { chunk, chunksOf, errorOf, test } from "./chat-gateway.fixture.ts";

const stream = { model: "brief", stream: true };
/** Deployments that abort on disconnect, so that the end of the upstream request shows when a timeout applied. */
const brief = (origin: string, limits = "") =>
  `{ model: openai/x, api_base: "${origin}", on_disconnect: abort${limits} }`;

/** Long enough that a machine that stalls for a second doesn't exceed it between two frames. */
const STREAM_TIMEOUT_MS = 2_000;

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
  ] as const)("are read from %s", async ([, fields, headers, seconds, code], { start, upstreams }) => {
    const { origin } = upstreams.alpha;
    const gateway = await start({
      yaml: `
  - { model_name: brief, litellm_params: ${brief(origin)} }
  - { model_name: quick, litellm_params: ${brief(origin, ", timeout: 0.3, stream_timeout: 0.2")} }`,
    });
    upstreams.alpha.hangs();
    const awakeTime = watchAwakeTime();
    const answer = await gateway.chat({ model: "brief", ...fields }, headers);
    expect([answer.status, (await errorOf(answer)).code]).toEqual([408, code]);
    expect(answer.headers.get("x-gw-timeout")).toBe(seconds);
    const { end, bodyReadAtMs } = await upstreams.alpha.ended(0);
    expect(end?.kind).toBe("aborted");
    // Deadlines are checked ten times per second.
    expect((end?.atMs as number) - bodyReadAtMs).toBeGreaterThanOrEqual(Number(seconds) * 1_000 - 20);
    expect(awakeTime(bodyReadAtMs, end?.atMs as number)).toBeLessThan(Number(seconds) * 1_000 + 400);
  });

  test("limit the time between frames", async ({ start, upstreams }) => {
    const gateway = await start({
      yaml: `  - { model_name: brief, litellm_params: ${brief(upstreams.alpha.origin)} }`,
    });
    upstreams.alpha.streams([sseFrame(chunk("a")), sseFrame(chunk("b"))], { delayMs: 80, hangAfterFrames: 2 });
    const answer = await gateway.chat({ ...stream, stream_timeout: 2 });
    const { chunks, isDone, error } = chunksOf(await answer.text());
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

  test("do not end a slow stream that stays within all time limits", async ({ gateway, upstreams }) => {
    // All frames together take longer than the time limit of one frame.
    const frames = chatFrames();
    upstreams.alpha.streams(frames, { delayMs: (2 * STREAM_TIMEOUT_MS) / frames.length });
    const answer = await gateway.chat({ ...stream, model: "alpha", stream_timeout: STREAM_TIMEOUT_MS / 1_000 });
    expect(chunksOf(await answer.text())).toMatchObject({ isDone: true });
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
