import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callOf, latin1, utf8 } from "./messages-call.fixture.ts";
import { event, overloadedEvents, refusalEvents, textEvents, thinkingEvents, toolEvents } from "./recorded.fixture.ts";
import { MessagesStreamReader } from "./stream-reader.ts";

const asksUsage = { stream: true, stream_options: { include_usage: true } };

function readerFor(fields: object = { stream: true }): MessagesStreamReader {
  return new MessagesStreamReader(callOf(fields, { shownName: "naïve" }));
}

/** Returns the frames that a client receives if the events arrive in these pieces. */
function relay(pieces: readonly string[], fields?: object) {
  const reader = readerFor(fields);
  let relayed = "";
  for (const piece of pieces) {
    if (!reader.isDone && reader.failure === null) relayed += reader.push(piece);
  }
  relayed += reader.end();
  return { reader, text: utf8(relayed), ...chunksOf(utf8(relayed)) };
}

const whole = (events: readonly string[], fields?: object) => relay([latin1(events.join(""))], fields);

function chunksOf(text: string) {
  const frames = text.split("\n\n").filter((frame) => frame !== "");
  const isDone = frames.at(-1) === "data: [DONE]";
  const chunks = frames.slice(0, isDone ? -1 : undefined).map((frame) => JSON.parse(frame.slice("data: ".length)));
  return { chunks, isDone, deltas: chunks.flatMap(({ choices }) => choices.map(({ delta }: never) => delta)) };
}

describe("Anthropic stream", () => {
  test("is converted to chunks with one ID, one role, one finish reason, and [DONE]", () => {
    const { chunks, deltas, isDone, reader } = whole(textEvents);
    expect(isDone).toBe(true);
    expect(reader.isDone).toBe(true);
    expect(
      new Set(chunks.map(({ id, created, model, object }) => JSON.stringify([id, created, model, object]))).size,
    ).toBe(1);
    expect(chunks[0]).toEqual({
      id: "msg_01XFDUDYJgAACzvnptvVoYEL",
      object: "chat.completion.chunk",
      created: expect.any(Number),
      model: "naïve",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }],
    });
    expect(deltas.slice(1)).toEqual([{ content: "Grüße, " }, { content: '世界 😀 "quoted" \\ \n' }, {}]);
    expect(chunks.map(({ choices }) => choices[0].finish_reason)).toEqual([null, null, null, "stop"]);
    expect(chunks.at(-1).service_tier).toBe("default");
    expect(reader.usage).toMatchObject({ inputTokens: 12, outputTokens: 9, source: "reported" });
  });

  test("ends with usage if requested, and earlier chunks have usage null", () => {
    const { chunks } = whole(toolEvents, asksUsage);
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 412,
        completion_tokens: 31,
        total_tokens: 443,
        prompt_tokens_details: { cached_tokens: 400, cache_creation_tokens: 0 },
      },
    });
    expect(whole(toolEvents).text).not.toContain("usage");
  });

  test("starts each tool call once with its index, then sends its arguments as text", () => {
    const { deltas, chunks } = whole(toolEvents);
    expect(deltas.slice(2)).toEqual([
      { tool_calls: [{ index: 0, id: "toolu_01A", type: "function", function: { name: "weather", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city": "Kö' } }] },
      { tool_calls: [{ index: 0, function: { arguments: 'ln", "days": 2}' } }] },
      { tool_calls: [{ index: 1, id: "toolu_01B", type: "function", function: { name: "time", arguments: "" } }] },
      { tool_calls: [{ index: 1, function: { arguments: "{}" } }] },
      {},
    ]);
    expect(chunks.at(-1).choices[0].finish_reason).toBe("tool_calls");
  });

  test("contains the first call as function_call if the request used legacy functions", () => {
    const { deltas, chunks } = whole(toolEvents, { stream: true, functions: [{ name: "weather" }] });
    expect(deltas.slice(2)).toEqual([
      { function_call: { name: "weather", arguments: "" } },
      { function_call: { arguments: '{"city": "Kö' } },
      { function_call: { arguments: 'ln", "days": 2}' } },
      {},
    ]);
    expect(chunks.at(-1).choices[0].finish_reason).toBe("function_call");
  });

  test("returns the input of the gateway's JSON tool as content", () => {
    const events = toolEvents.filter((text) => !text.includes('"index":2') && !text.includes('"index":0'));
    const { deltas, chunks } = whole(events.map((text) => text.replace('"weather"', '"answer_in_json_for_gateway"')));
    expect(deltas.slice(1)).toEqual([{ content: '{"city": "Kö' }, { content: 'ln", "days": 2}' }, {}]);
    expect(chunks.at(-1).choices[0].finish_reason).toBe("stop");
  });

  test("relays reasoning as it arrives, then each complete thinking block with its signature", () => {
    const { deltas, reader } = whole(thinkingEvents);
    expect(deltas.slice(1)).toEqual([
      { reasoning_content: "Two and " },
      { reasoning_content: "two." },
      { thinking_blocks: [{ type: "thinking", thinking: "Two and two.", signature: "EqQBCgIYAhIM1gbcDa9G" }] },
      { thinking_blocks: [{ type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" }] },
      { content: "4" },
      {},
    ]);
    expect(reader.usage).toMatchObject({ outputTokens: 20, reasoningTokens: 14 });
  });

  test("contains the model's refusal and its reason", () => {
    const { deltas, chunks } = whole(refusalEvents);
    expect(deltas.slice(2)).toEqual([{ refusal: "This cannot be answered." }, {}]);
    expect(chunks.at(-1).choices[0].finish_reason).toBe("content_filter");
  });

  test("that fails midway relays the earlier output and then reports the failure", () => {
    const { deltas, isDone, reader } = whole(overloadedEvents);
    expect(deltas.at(-1)).toEqual({ content: "Hel" });
    expect(isDone).toBe(false);
    expect(reader.failure).toMatchObject({ code: "service_unavailable" });
  });

  test("that fails immediately relays nothing and reports the failure", () => {
    const { text, reader } = whole(overloadedEvents.slice(-1));
    expect(text).toBe("");
    expect(reader.failure).toMatchObject({ code: "service_unavailable" });
  });
});

describe("Anthropic stream reader", () => {
  const streams = { textEvents, toolEvents, thinkingEvents, refusalEvents };

  test.for(Object.entries(streams))("gives the same output for any split: %s", ([, events]) => {
    const expected = withoutTime(whole(events, asksUsage).text);
    fc.assert(
      fc.property(fc.array(fc.nat(4_000), { maxLength: 40 }), fc.constantFrom("\n", "\r\n"), (places, lineEnd) => {
        const bytes = latin1(events.join("").replaceAll("\n", lineEnd));
        const cuts = [0, ...places.sort((a, b) => a - b), bytes.length];
        const pieces = cuts.slice(1).map((end, index) => bytes.slice(cuts[index], end));
        expect(withoutTime(relay(pieces, asksUsage).text)).toBe(expected);
      }),
      { numRuns: 100 },
    );
  });

  test("produces the same output if the stream arrives byte by byte", () => {
    const bytes = latin1(thinkingEvents.join(""));
    expect(withoutTime(relay([...bytes]).text)).toBe(withoutTime(relay([bytes]).text));
  });

  test("produces the same output for any JSON spacing and escapes", () => {
    const spaced = toolEvents.map((text) =>
      text.replace(
        /data: (.*)/,
        (_, json: string) => `data:${JSON.stringify(JSON.parse(json), null, " ").replaceAll("\n", "")}`,
      ),
    );
    expect(withoutTime(whole(spaced).text)).toBe(withoutTime(whole(toolEvents).text));
    const ascii = textEvents.map((text) =>
      text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    );
    expect(whole(ascii).deltas).toEqual(whole(textEvents).deltas);
  });

  test("relays any text unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, isUsual) => {
        const piece = {
          type: "content_block_delta",
          index: 0,
          delta: isUsual ? { type: "text_delta", text } : { text, type: "text_delta" },
        };
        const { deltas } = whole([...textEvents.slice(0, 2), event(piece), ...textEvents.slice(-2)]);
        expect(deltas.map(({ content }) => content ?? "").join("")).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test("ignores unknown events, blocks, and deltas", () => {
    const unknown = [
      ": a comment\n\n",
      "retry: 5\n\n",
      event({ type: "vendor_news", n: 1 }),
      event({
        type: "content_block_start",
        index: 5,
        content_block: { type: "server_tool_use", id: "s", name: "web_search", input: {} },
      }),
      event({ type: "content_block_delta", index: 5, delta: { type: "input_json_delta", partial_json: '{"q":1}' } }),
      event({ type: "content_block_delta", index: 5, delta: { type: "citations_delta", citation: {} } }),
      event({ type: "content_block_stop", index: 5 }),
    ];
    const events = [...textEvents.slice(0, 1), ...unknown, ...textEvents.slice(1)];
    expect(withoutTime(whole(events).text)).toBe(withoutTime(whole(textEvents).text));
  });

  test("counts the session in which the provider ran code", () => {
    const ran = event({
      type: "content_block_start",
      index: 5,
      content_block: { type: "server_tool_use", id: "s", name: "bash_code_execution", input: {} },
    });
    const { reader } = whole([...textEvents.slice(0, 1), ran, ran, ...textEvents.slice(1)]);
    expect(reader.usage?.codeSessions).toBe(1);
    expect(whole(textEvents).reader.usage?.codeSessions).toBe(0);
  });

  test("ignores the content of an unknown block, even if the previous block wasn't closed", () => {
    const unknown = [
      event({ type: "content_block_start", index: 1, content_block: { type: "vendor_block" } }),
      event({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "inside" } }),
      event({ type: "content_block_delta", index: 1, delta: { type: "thinking_delta", thinking: "inside" } }),
    ];
    const events = [...textEvents.slice(0, -3), ...unknown, ...textEvents.slice(-2)];
    expect(withoutTime(whole(events).text)).toBe(withoutTime(whole(textEvents).text));
  });

  test("starts the response once, even if message_start is repeated", () => {
    const events = [...textEvents.slice(0, 3), ...textEvents.slice(0, 1), ...textEvents.slice(3)];
    expect(withoutTime(whole(events).text)).toBe(withoutTime(whole(textEvents).text));
  });

  test("completes a stream without message_stop only if it sent a stop reason", () => {
    const { isDone, reader } = whole(textEvents.slice(0, -1));
    expect([isDone, reader.failure]).toEqual([true, null]);
    const cut = whole(textEvents.slice(0, -2));
    expect(cut.isDone).toBe(false);
    expect(cut.reader.failure).toMatchObject({ code: "bad_gateway" });
  });

  test("reads the last line even if it has no line ending", () => {
    expect(relay([latin1(textEvents.join("").trimEnd())]).isDone).toBe(true);
  });

  test.for<[string, string]>([
    ["invalid JSON", "data: {oops\n\n"],
    ["not an object", "data: 12\n\n"],
    ["a block before the message start", textEvents[1] as string],
    ["a delta before the message start", textEvents[3] as string],
    ["an unterminated line", `data: "${"x".repeat(1024 * 1024 + 10)}`],
  ])("fails if the input is %s", ([, text]) => {
    const reader = readerFor();
    expect(reader.push(text)).toBe("");
    expect(reader.failure).toMatchObject({ code: "bad_gateway" });
  });

  test("fails if a delta is malformed JSON", () => {
    const [start, open, , piece] = textEvents as [string, string, string, string];
    const { deltas, reader } = whole([start, open, piece.replace(/\}\s*\}/, "}, oops}")]);
    expect(deltas).toHaveLength(1);
    expect(reader.failure).toMatchObject({ code: "bad_gateway" });
  });

  test("reports the provider's prompt tokens and estimated output tokens for a truncated stream", () => {
    const reader = readerFor();
    expect(reader.usage).toBeNull();
    const [start, open] = toolEvents as [string, string];
    reader.push(latin1(start + open));
    const said = "seven words are said in this piece. ".repeat(5);
    reader.push(event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: said } }));
    expect(reader.usage).toMatchObject({ inputTokens: 12, cacheReadTokens: 400, source: "estimated" });
    expect(reader.usage?.outputTokens).toBeGreaterThan(30);
    expect(reader.usage?.outputTokens).toBeLessThan(60);
  });

  test("estimates output tokens until the provider reports them, even if earlier events omit them", () => {
    const reader = readerFor();
    const usage = { input_tokens: 12 };
    reader.push(event({ type: "message_start", message: { id: "msg_1", usage } }) + textEvents[1]);
    reader.push(event({ type: "message_delta", delta: {}, usage: { input_tokens: 13 } }));
    expect(reader.usage).toMatchObject({ inputTokens: 13, outputTokens: 0, source: "estimated" });
  });

  test("uses the last usage report", () => {
    const reports = [5, 7].map((output_tokens) =>
      event({ type: "message_delta", delta: { stop_reason: null }, usage: { input_tokens: null, output_tokens } }),
    );
    const { reader } = whole([...textEvents.slice(0, -2), ...reports, ...textEvents.slice(-2)]);
    expect(reader.usage).toMatchObject({ inputTokens: 12, outputTokens: 9, source: "reported" });
  });
});

function withoutTime(text: string): string {
  return text.replaceAll(/"created":\d+/g, '"created":0');
}
