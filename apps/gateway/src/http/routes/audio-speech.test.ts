import { connect } from "node:net";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { MASTER_KEY } from "../../test-gateway.fixture.ts";
import { errorOf, readerOf, test } from "./chat-gateway.fixture.ts";

const PATH = "/v1/audio/speech";
const hello = { input: "hello there", voice: "alloy" };

/** Model groups that bill speech per character, per second, and per token. */
const priced = (origin: string) => {
  const group = (name: string, model: string, prices: string) =>
    `  - { model_name: ${name}, litellm_params: { model: openai/${model}, api_base: "${origin}/v1", api_key: sk-x, ${prices} }, model_info: { mode: audio_speech } }\n`;
  return (
    group("by-character", "voice-1", "input_cost_per_character: 0.000015") +
    group("by-second", "voice-2", "output_cost_per_second: 0.00025") +
    group("by-token", "voice-3", "input_cost_per_token: 0.000001, output_cost_per_token: 0.000012") +
    group("old", "tts-1", "input_cost_per_character: 0.000015")
  );
};

test("all paths return the same response, for success and failure", async ({ gateway }) => {
  const paths = ["/audio/speech", PATH, "/openai/deployments/sim%2Fspeech/audio/speech?api-version=2024-10-21"];
  for (const fields of [hello, { input: "x" }, { ...hello, speed: 9 }]) {
    const answers = await Promise.all(
      paths.map(async (path) => {
        const answer = await gateway.post(path, { model: "sim/speech", ...fields });
        return {
          status: answer.status,
          type: answer.headers.get("content-type"),
          text: (await answer.text()).replace(/"request_id":"[^"]*"/, ""),
        };
      }),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  }
});

describe("the audio", () => {
  test.for([
    ["mp3", "audio/mpeg"],
    ["opus", "audio/ogg"],
    ["aac", "audio/aac"],
    ["flac", "audio/flac"],
    ["wav", "audio/wav"],
    ["pcm", "audio/pcm"],
  ])("in format %s has the content type %s", async ([format, contentType], { gateway }) => {
    const answer = await gateway.post(PATH, { model: "sim/speech", ...hello, response_format: format });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe(contentType);
    expect(answer.headers.get("x-gw-model-id")).not.toBeNull();
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  });

  test("defaults to MP3 and passes the upstream's bytes through unchanged", async ({ gateway, upstreams }) => {
    const sound = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) & 255));
    upstreams.alpha.streams([sound.subarray(0, 10), sound.subarray(10)], { headers: { "content-type": "audio/mpeg" } });
    const answer = await gateway.post(PATH, { model: "alpha", ...hello, voice: { id: "voice_1" } });
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    expect(Buffer.from(await answer.arrayBuffer()).equals(sound)).toBe(true);
    const [received] = upstreams.alpha.requests;
    expect(received).toMatchObject({ path: "/v1/audio/speech" });
    expect(received?.headers.accept).toBeUndefined();
    expect(received?.json()).toEqual({ model: "upstream-1", ...hello, voice: { id: "voice_1" } });
  });

  test("of a simulated voice is a WAV file whose duration depends on the text length and speed", async ({
    gateway,
  }) => {
    const ask = async (fields: object) => {
      const answer = await gateway.post(PATH, { model: "sim/speech", response_format: "wav", ...hello, ...fields });
      return Buffer.from(await answer.arrayBuffer());
    };
    const sound = await ask({ input: "a".repeat(30) });
    expect(sound.toString("latin1", 0, 4)).toBe("RIFF");
    expect(sound.readUInt32LE(40)).toBe(sound.length - 44);
    expect((sound.length - 44) / 48_000).toBeCloseTo(2, 2);
    expect((await ask({ input: "a".repeat(30), speed: 2 })).length - 44).toBe((sound.length - 44) / 2);
    expect((await ask({ input: "a".repeat(30) })).equals(sound)).toBe(true);
  });

  test("is forwarded before the upstream has sent all of it", async ({ gateway, upstreams }) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    upstreams.alpha.streams(["first", "last"], {
      headers: { "content-type": "audio/mpeg" },
      beforeFrame: (index) => (index === 1 ? held : null),
    });
    const received = await readerOf(gateway.post(PATH, { model: "alpha", ...hello }));
    await waitFor("the first bytes", () => received.text === "first");
    release();
    await received.done;
    expect(received.text).toBe("firstlast");
  });

  test("leaves the client's connection usable for the next request", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams(["tone"], { headers: { "content-type": "audio/mpeg" } });
    const body = JSON.stringify({ model: "alpha", ...hello });
    const head = `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\nx-gw-api-key: ${MASTER_KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const socket = connect(gateway.port, "127.0.0.1");
    let received = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      received += chunk;
    });
    socket.write(head + body + head + body);
    await waitFor("both answers", () => received.split("0\r\n\r\n").length === 3);
    const [first = "", second = ""] = received.split("0\r\n\r\n");
    expect(first).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(second, "no bytes between the two responses").toMatch(/^HTTP\/1\.1 200 OK/);
    socket.destroy();
  });

  test("that is cut off upstream ends with a closed connection, and the call is recorded as a failure", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.streams(["first", "last"], { headers: { "content-type": "audio/mpeg" }, cutAfterFrames: 1 });
    const answer = await gateway.post(PATH, { model: "alpha", ...hello });
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow();
    await waitFor("the record", () => gateway.records.length === 1);
    expect(gateway.records[0]).toMatchObject({ status: "failure", usage: { characters: 11 } });
  });

  test("is replaced by a JSON error if the upstream fails before it sends any audio", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.replies(503, { error: { message: "busy" } });
    const refused = await gateway.post(PATH, { model: "alpha", ...hello, num_retries: 0 });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("content-type")).toBe("application/json");
    expect(await errorOf(refused)).toMatchObject({ code: "service_unavailable" });
    upstreams.beta.replies(200, { not: "sound" });
    const unreadable = await gateway.post(PATH, { model: "beta", ...hello, num_retries: 0 });
    expect(unreadable.status).toBe(502);
  });

  test("is aborted upstream on client disconnect if the deployment has on_disconnect: abort", async ({
    start,
    upstreams,
  }) => {
    const brief = `{ model: openai/x, api_base: "${upstreams.alpha.origin}/v1", on_disconnect: abort }`;
    const gateway = await start({ yaml: `  - { model_name: brief, litellm_params: ${brief} }` });
    upstreams.alpha.streams(["first", "last"], { headers: { "content-type": "audio/mpeg" }, hangAfterFrames: 1 });
    const leaving = new AbortController();
    const received = await readerOf(gateway.post(PATH, { model: "brief", ...hello }), leaving);
    await waitFor("the first bytes", () => received.text === "first");
    leaving.abort();
    expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
    await waitFor("the record", () => gateway.records.length === 1);
    expect(gateway.records[0]).toMatchObject({ status: "client_disconnect", usage: { characters: 11 } });
  });
});

describe("speech as server-sent events", () => {
  test("is forwarded event by event and ends with the usage", async ({ gateway }) => {
    const answer = await gateway.post(PATH, { model: "sim/speech", ...hello, stream_format: "sse" });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const events = (await answer.text())
      .split("\n\n")
      .filter((frame) => frame !== "")
      .map((frame) => JSON.parse(frame.slice("data: ".length)));
    expect(events.at(-1)).toMatchObject({ type: "speech.audio.done", usage: { input_tokens: 2 } });
    expect(events.slice(0, -1).every(({ type }) => type === "speech.audio.delta")).toBe(true);
    const { usage } = gateway.records[0] ?? {};
    expect(usage).toMatchObject({ source: "reported", characters: 11, inputTokens: 2, outputTokens: 16 });
    expect(usage?.audioOutputTokens).toBe(16);
  });

  test("is rejected for models that do not support it, even with drop_params", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: priced(upstreams.alpha.origin) });
    const refused = await gateway.post(PATH, { model: "old", ...hello, stream_format: "sse", drop_params: true });
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ code: "unsupported_parameter", param: "stream_format" });
    const reported = await gateway.post(PATH, { model: "old", ...hello, instructions: "whisper" });
    expect(await errorOf(reported)).toMatchObject({ code: "unsupported_parameter", param: "instructions" });
    upstreams.alpha.streams(["tone"], { headers: { "content-type": "audio/mpeg" } });
    const dropped = await gateway.post(PATH, { model: "old", ...hello, instructions: "whisper", drop_params: true });
    expect(dropped.status).toBe(200);
    expect(upstreams.alpha.requests[0]?.json()).toEqual({ model: "tts-1", ...hello });
  });

  test("ends with an error if the upstream sends no final event", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams(['data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n']);
    const answer = await gateway.post(PATH, { model: "alpha", ...hello, stream_format: "sse" });
    expect(await answer.text()).toContain('"code":"bad_gateway"');
  });
});

describe("a request", () => {
  test("that names an unknown guardrail is rejected", async ({ gateway }) => {
    const answer = await gateway.post(PATH, { model: "sim/speech", ...hello, guardrails: ["pii"] });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "invalid_request", param: "guardrails" });
  });

  test.for([
    ["without input", { input: undefined }, "missing", "input"],
    ["without a voice", { voice: undefined }, "missing", "voice"],
    ["with an empty input", { input: "" }, "too_short", "input"],
    ["with 4097 characters", { input: "ä".repeat(4_097) }, "too_long", "input"],
    ["with an unknown format", { response_format: "midi" }, "literal_error", "response_format"],
    ["that is too slow", { speed: 0.2 }, "greater_than_equal", "speed"],
    ["that is too fast", { speed: 4.1 }, "less_than_equal", "speed"],
    ["with an unknown stream format", { stream_format: "ws" }, "literal_error", "stream_format"],
    ["with instructions that aren't text", { instructions: 5 }, "string_type", "instructions"],
  ] as const)("%s is rejected", async ([, fields, type, name], { gateway }) => {
    const answer = await gateway.post(PATH, { model: "sim/speech", ...hello, ...fields });
    expect(answer.status).toBe(422);
    const { detail } = (await answer.json()) as { detail: { loc: unknown; type: string }[] };
    expect(detail).toMatchObject([{ loc: ["body", name], type }]);
  });

  test("can have 4096 characters of input, regardless of their size in bytes", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams(["tone"], { headers: { "content-type": "audio/mpeg" } });
    const answer = await gateway.post(PATH, { model: "alpha", input: "🙂".repeat(4_096), voice: "alloy" });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    expect(gateway.records[0]?.usage.characters).toBe(4_096);
  });

  test("of more than 64 KiB returns 413", async ({ gateway }) => {
    const answer = await gateway.post(PATH, { model: "sim/speech", ...hello, metadata: { x: "y".repeat(65_536) } });
    expect(answer.status).toBe(413);
  });

  test("for a model without speech output is rejected", async ({ gateway }) => {
    const answer = await gateway.post(PATH, { model: "sim/echo", ...hello });
    expect(answer.status).toBe(400);
  });
});

describe("the price", () => {
  test("is per character if the model has a character price", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: priced(upstreams.alpha.origin) });
    upstreams.alpha.streams(["x".repeat(16_000)], { headers: { "content-type": "audio/mpeg" } });
    await (await gateway.post(PATH, { model: "by-character", input: "héllo", voice: "a" })).arrayBuffer();
    expect(gateway.records[0]).toMatchObject({ cost: 5n * 15_000n, usage: { characters: 5, inputTokens: 0 } });
  });

  test("is per second of audio, with the duration computed from the bytes", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: priced(upstreams.alpha.origin) });
    upstreams.alpha.streams([Buffer.alloc(48_000 * 2)], { headers: { "content-type": "audio/pcm" } });
    const fields = { model: "by-second", ...hello, response_format: "pcm" };
    await (await gateway.post(PATH, fields)).arrayBuffer();
    // Two seconds are rounded up to whole tokens of 48 ms.
    expect(gateway.records[0]).toMatchObject({ usage: { audioMs: 2_016, source: "estimated" }, cost: 504_000n });
  });

  test("is per token, from the reported usage or otherwise from an estimate", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: priced(upstreams.alpha.origin) });
    upstreams.alpha.streams([Buffer.alloc(48_000)], { headers: { "content-type": "audio/pcm" } });
    await (await gateway.post(PATH, { model: "by-token", ...hello, response_format: "pcm" })).arrayBuffer();
    expect(gateway.records[0]).toMatchObject({
      usage: { inputTokens: 2, outputTokens: 21, audioOutputTokens: 21, source: "estimated" },
      cost: 2n * 1_000n + 21n * 12_000n,
    });
    const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
    upstreams.alpha.streams([
      'data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n',
      `data: ${JSON.stringify({ type: "speech.audio.done", usage })}\n\n`,
    ]);
    await (await gateway.post(PATH, { model: "by-token", ...hello, stream_format: "sse" })).text();
    expect(gateway.records[1]).toMatchObject({
      usage: { inputTokens: 14, outputTokens: 101, source: "reported" },
      cost: 14n * 1_000n + 101n * 12_000n,
    });
  });

  test("never exceeds the hold, regardless of the length of the audio", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: priced(upstreams.alpha.origin) });
    upstreams.alpha.streams([Buffer.alloc(4_000_000)], { headers: { "content-type": "audio/ogg" } });
    await (await gateway.post(PATH, { model: "by-second", ...hello, response_format: "opus" })).arrayBuffer();
    const mostMs = 11 * 300 + 5_000;
    expect(gateway.records[0]?.usage.audioMs).toBeLessThanOrEqual(mostMs + 48);
  });
});
