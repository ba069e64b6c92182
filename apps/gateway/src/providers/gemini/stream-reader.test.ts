import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { countText } from "../../tokens/count-text.ts";
import { framesOf, recorded, streams } from "./gemini-answers.fixture.ts";
import { GeminiStreamReader } from "./stream-reader.ts";

interface Options {
  readonly wantsUsage?: boolean;
  readonly fields?: object;
}

function readerFor({ wantsUsage = false, fields }: Options = {}) {
  const body = { model: "x", messages: [], stream: true, stream_options: { include_usage: wantsUsage }, ...fields };
  return new GeminiStreamReader(makeChatCall({ text: JSON.stringify(body), shownName: "naïve" }));
}

/** Reads a stream that arrives in these pieces to its end. */
function readPieces(pieces: readonly Buffer[], options?: Options) {
  const reader = readerFor(options);
  let relayed = "";
  for (const piece of pieces) {
    if (reader.isDone || reader.failure !== null) break;
    relayed += reader.push(piece.toString("latin1"));
  }
  relayed += reader.end();
  const text = Buffer.from(relayed, "latin1")
    .toString("utf8")
    .replaceAll(/"created":\d+/g, '"created":1');
  return { text, isDone: reader.isDone, failure: reader.failure?.code ?? null, usage: reader.usage };
}

const read = (stream: string, options?: Options) => readPieces([Buffer.from(stream, "utf8")], options);

interface Chunk {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly { index: number; delta: Record<string, unknown>; finish_reason: string | null }[];
  readonly usage?: unknown;
}
const chunksOf = (text: string): Chunk[] =>
  text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice("data: ".length)));
const deltasOf = (text: string) => chunksOf(text).flatMap(({ choices }) => choices.map(({ delta }) => delta));

describe("Gemini stream split into network chunks", () => {
  const cases = Object.entries(streams) as [string, string][];
  test.for(cases)("produces the same output for any split: %s", ([, stream]) => {
    for (const text of [stream, stream.replaceAll("\r\n", "\n")]) {
      const bytes = Buffer.from(text, "utf8");
      const whole = readPieces([bytes], { wantsUsage: true });
      for (let cut = 1; cut < bytes.length; cut += 1) {
        const halves = [bytes.subarray(0, cut), bytes.subarray(cut)];
        expect(readPieces(halves, { wantsUsage: true }), `cut at ${cut}`).toEqual(whole);
      }
    }
  });

  test("produces the same output for random splits", () => {
    fc.assert(
      fc.property(fc.constantFrom(...cases), fc.array(fc.nat(2_000), { maxLength: 12 }), ([, stream], places) => {
        const bytes = Buffer.from(stream, "utf8");
        const cuts = [
          0,
          ...places.map((place) => place % bytes.length).sort((one, other) => one - other),
          bytes.length,
        ];
        const pieces = cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index], cut));
        expect(readPieces(pieces, { wantsUsage: true })).toEqual(read(stream, { wantsUsage: true }));
      }),
    );
  });

  test("is relayed one frame at a time, as soon as each frame is complete", () => {
    for (const stream of [streams.text, streams.text.replaceAll("\r\n", "\n")]) {
      const reader = readerFor();
      const frames = Buffer.from(stream, "utf8")
        .toString("latin1")
        .split(/(?<=\n\r?\n)/);
      for (const frame of frames) {
        const written = [...frame].map((byte) => reader.push(byte)).join("");
        expect(chunksOf(written)).toHaveLength(1);
      }
    }
  });
});

describe("Gemini stream reader", () => {
  test("writes one ID, one role, one finish reason per choice, and [DONE] at the end", () => {
    const { text, isDone, usage } = read(streams.text);
    expect(isDone).toBe(true);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    const chunks = chunksOf(text);
    expect(new Set(chunks.map(({ id, model }) => `${id} ${model}`))).toEqual(
      new Set(["chatcmpl-streamedAnswer naïve"]),
    );
    expect(deltasOf(text)).toEqual([
      { role: "assistant", content: "Grüße, " },
      { content: "世界 " },
      { content: "😀" },
      {},
    ]);
    expect(chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason))).toEqual([
      null,
      null,
      null,
      "stop",
    ]);
    expect(text).not.toContain("usage");
    expect(usage).toMatchObject({ inputTokens: 11, outputTokens: 6 });
  });

  test("reports usage in the last chunk if requested", () => {
    const chunks = chunksOf(read(streams.thoughts, { wantsUsage: true }).text);
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 11,
        completion_tokens: 32,
        total_tokens: 43,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
    });
  });

  test("separates reasoning from content and includes the thought signature", () => {
    expect(deltasOf(read(streams.thoughts).text)).toEqual([
      { role: "assistant", reasoning_content: "**Thinking**" },
      { content: "Done." },
      { extra_content: { google: { thought_signature: "dGhvdWdodA==" } } },
      {},
    ]);
  });

  test("numbers tool calls across frames", () => {
    const { text } = read(streams.calls);
    const calls = deltasOf(text).flatMap(({ tool_calls }) => (tool_calls ?? []) as object[]);
    expect(calls).toEqual([
      {
        index: 0,
        id: "call_streamedAnswer_0",
        type: "function",
        function: { name: "weather", arguments: '{"city":"Zürich"}' },
        extra_content: { google: { thought_signature: "c2ln" } },
      },
      { index: 1, id: "own-id", type: "function", function: { name: "weather", arguments: "{}" } },
    ]);
    expect(chunksOf(text).at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("returns function_call for a request with legacy functions", () => {
    const { text } = read(streams.calls, { fields: { functions: [{ name: "weather" }] } });
    expect(deltasOf(text)).toEqual([
      { role: "assistant", content: "Let me look." },
      { function_call: { name: "weather", arguments: '{"city":"Zürich"}' } },
      {},
    ]);
    expect(chunksOf(text).at(-1)?.choices[0]?.finish_reason).toBe("function_call");
  });

  test("starts and ends each of several choices", () => {
    const said = new Map<number, unknown[]>();
    for (const { choices } of chunksOf(read(streams.two).text)) {
      for (const { index, delta, finish_reason } of choices) {
        said.set(index, [...(said.get(index) ?? []), finish_reason ?? delta]);
      }
    }
    expect([...said]).toEqual([
      [0, [{ role: "assistant", content: "one" }, "stop"]],
      [1, [{ role: "assistant", content: "eins" }, { content: " zwei" }, "length"]],
    ]);
  });

  test("computes citation positions across frames", () => {
    const [only] = recorded.grounded.candidates;
    const cut = only.content.parts[0].text.length / 2;
    const part = (text: string) => ({ content: { parts: [{ text }] } });
    const frames = [
      { candidates: [part(only.content.parts[0].text.slice(0, cut))] },
      { candidates: [{ ...only, ...part(only.content.parts[0].text.slice(cut)) }] },
    ];
    const cited = deltasOf(read(framesOf(frames)).text).flatMap(({ annotations }) => (annotations ?? []) as object[]);
    expect(cited).toEqual([
      { type: "url_citation", url_citation: expect.objectContaining({ start_index: 0, end_index: 17 }) },
      { type: "url_citation", url_citation: expect.objectContaining({ start_index: 18, end_index: 28 }) },
    ]);
  });

  test("writes a role and a finish reason even without content", () => {
    const { text, isDone } = read(framesOf([{ candidates: [{ finishReason: "MAX_TOKENS" }] }]));
    expect(isDone).toBe(true);
    expect(deltasOf(text)).toEqual([{ role: "assistant", content: "" }, {}]);
  });

  test("gives every tool call a unique ID, even across frames", () => {
    const call = { functionCall: { name: "clock", args: {} } };
    const frames = [{ candidates: [{ content: { parts: [call, call] } }], responseId: "one" }];
    const more = [{ candidates: [{ content: { parts: [call] }, finishReason: "STOP" }], responseId: "one" }];
    const { text } = read(framesOf([...frames, ...more]));
    const calls = deltasOf(text).flatMap(({ tool_calls }) => (tool_calls ?? []) as { id: string }[]);
    expect(calls.map(({ id }) => id)).toEqual(["call_one_0", "call_one_1", "call_one_2"]);
  });

  test("ends each choice once, even if the model sends two finish reasons", () => {
    const end = (finishReason: string) => ({ candidates: [{ content: { parts: [{ text: "a" }] }, finishReason }] });
    const { text } = read(framesOf([end("MAX_TOKENS"), end("STOP")]));
    const reasons = chunksOf(text).flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason));
    expect(reasons).toEqual([null, null, "length"]);
  });

  test("treats the stream as complete after its finish reason, even if a partial frame follows", () => {
    expect(read(`${streams.text}data: {"usageMetadata":{"prom`)).toEqual(read(streams.text));
  });

  test("ignores an unexpected [DONE] frame", () => {
    expect(read(`${streams.text}data: [DONE]\n\n`)).toEqual(read(streams.text));
  });

  test("counts the delivered text if the provider reports no usage", () => {
    const reader = readerFor();
    reader.push(framesOf([{ candidates: [{ content: { parts: [{ text: "one two three four" }] } }] }]));
    expect(reader.usage).toBeNull();
    expect(reader.output.count()).toBe(countText("one two three four"));
  });
});

describe("failed Gemini stream", () => {
  test.for<[string, string, string]>([
    ["ends early", streams.cut, "bad_gateway"],
    ["ends within a frame", streams.text.slice(0, -40), "bad_gateway"],
    ["never begins", "", "bad_gateway"],
    ["reports an error", streams.failing, "service_unavailable"],
    ["ends with an error outside a frame", streams.failingPlainly, "upstream_rate_limit"],
    ["has a blocked prompt", streams.blocked, "content_filter"],
    ["ends with a malformed tool call", streams.broken, "bad_gateway"],
    ["sends malformed JSON", 'data: {"candidates":\n\ndata: {}\n\n', "bad_gateway"],
    ["sends a frame that isn't an object", "data: 7\n\n", "bad_gateway"],
  ])("that %s ends with a failure and without [DONE]", ([, stream, code]) => {
    const { text, isDone, failure } = read(stream);
    expect(failure).toBe(code);
    expect(isDone).toBe(false);
    expect(text).not.toContain("[DONE]");
    expect(chunksOf(text).every(({ choices }) => choices.every(({ finish_reason }) => finish_reason === null))).toBe(
      true,
    );
  });

  test("is abandoned when a frame exceeds the size limit", () => {
    const reader = readerFor();
    const piece = "x".repeat(1024 * 1024);
    for (let pieces = 0; pieces < 17 && reader.failure === null; pieces += 1) reader.push(piece);
    expect(reader.failure?.code).toBe("bad_gateway");
  });
});

test("searches count in whichever event they are", () => {
  const grounded = { groundingMetadata: { webSearchQueries: ["a", "b"] } };
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 };
  const text = { content: { role: "model", parts: [{ text: "Hi" }] } };
  const searchesIn = (...events: readonly object[]) =>
    read(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")).usage?.webSearches;
  const last = { candidates: [{ ...grounded, finishReason: "STOP" }], modelVersion: "gemini-3-pro" };
  expect(searchesIn({ candidates: [text], usageMetadata }, { ...last, usageMetadata })).toBe(2);
  expect(searchesIn({ candidates: [text], usageMetadata }, last)).toBe(2);
  const first = { candidates: [{ ...text, ...grounded }], usageMetadata, modelVersion: "gemini-3-pro" };
  expect(searchesIn(first, { candidates: [{ finishReason: "STOP" }], usageMetadata })).toBe(2);
});
