import { chatFrames, DONE_FRAME, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { countText } from "../../tokens/count-text.ts";
import { OpenAiStreamReader } from "./stream-reader.ts";

interface ReadStream {
  readonly text: string;
  readonly isDone: boolean;
  readonly failure: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

/** Reads a complete stream that arrives in these pieces. */
function readPieces(pieces: readonly Buffer[], options: { wantsUsage?: boolean; shownName?: string } = {}): ReadStream {
  const streamOptions = `"stream_options":{"include_usage":${options.wantsUsage ?? false}}`;
  const text = `{"model":"x","messages":[],"stream":true,${streamOptions}}`;
  const reader = new OpenAiStreamReader(makeChatCall({ text, shownName: options.shownName ?? "group" }));
  let relayed = "";
  for (const piece of pieces) {
    if (reader.isDone || reader.failure !== null) break;
    relayed += reader.push(piece.toString("latin1"));
  }
  relayed += reader.end();
  return {
    text: Buffer.from(relayed, "latin1").toString("utf8"),
    isDone: reader.isDone,
    failure: reader.failure?.code ?? null,
    usage: reader.usage,
  };
}

const read = (text: string, options = {}) => readPieces([Buffer.from(text, "utf8")], options);
const chunk = (fields: object, choices: object[] = [{ index: 0, delta: { content: "Hi" }, finish_reason: null }]) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "upstream-1",
  choices,
  ...fields,
});
const stopped = chunk({}, [{ index: 0, delta: {}, finish_reason: "stop" }]);
const modelsIn = (text: string) =>
  text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice("data: ".length)).model);

describe("OpenAI stream split into network chunks", () => {
  const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
  const streams: Record<string, string> = {
    "a usual stream": chatFrames({ pieces: ["Hé", "llo 😀", " 世界"], model: "upstream-1" }).join(""),
    "a stream with line feeds and carriage returns": chatFrames({ pieces: ["a", "é"] })
      .join("")
      .replaceAll("\n", "\r\n"),
    "a stream with comments and other fields": `: hello\n\nevent: message\nid: 7\n${sseFrame(chunk({}))}: wait\n\n${sseFrame(stopped)}${DONE_FRAME}`,
    "a stream without a closing mark": sseFrame(chunk({})) + sseFrame(stopped),
    "a stream that ends early": sseFrame(chunk({})) + sseFrame(chunk({})),
    "a stream that ends within a frame": sseFrame(chunk({})) + sseFrame(chunk({})).slice(0, 60),
    "a stream whose last frame lacks its empty line": sseFrame(chunk({})) + sseFrame(stopped).trimEnd(),
    "a stream with an error in it": `${sseFrame(chunk({ usage: null }))}${sseFrame({ error: { message: "no", code: 429 } })}`,
    "a stream with a named error event": `${sseFrame(chunk({}))}event: error\n${sseFrame({ error: { message: "no" } })}`,
    "a stream with usage in every frame": [chunk({ usage }), { ...stopped, usage }].map(sseFrame).join("") + DONE_FRAME,
    "a stream whose closing mark has no space": `${sseFrame(stopped)}data:[DONE]\n\n`,
    "a stream with an empty line too many": `${sseFrame(stopped)}\n${DONE_FRAME}\n`,
    "a stream that writes its members with spaces": `${sseFrame(chunk({})).replaceAll('":', '" : ')}${DONE_FRAME}`,
  };
  test.for(Object.entries(streams))("gives the same output for any split: %s", ([, stream]) => {
    const bytes = Buffer.from(stream, "utf8");
    for (const wantsUsage of [false, true]) {
      const whole = readPieces([bytes], { wantsUsage });
      for (let cut = 1; cut < bytes.length; cut += 1) {
        const halves = [bytes.subarray(0, cut), bytes.subarray(cut)];
        expect(readPieces(halves, { wantsUsage }), `cut at ${cut}`).toEqual(whole);
      }
      const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
      expect(readPieces(single, { wantsUsage })).toEqual(whole);
    }
  });

  test("produces the same output for any stream and any split", () => {
    const pieces = fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(2_000), { maxLength: 10 }), fc.boolean(), (texts, cuts, wantsUsage) => {
        const bytes = Buffer.from(chatFrames({ pieces: texts }).join(""), "utf8");
        const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((one, other) => one - other), bytes.length];
        const cutUp = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect(readPieces(cutUp, { wantsUsage })).toEqual(readPieces([bytes], { wantsUsage }));
      }),
    );
  });
});

describe("model name in an OpenAI stream", () => {
  test("is the caller's in every frame, with all other bytes unchanged", () => {
    const frames = chatFrames({ model: "upstream-1", pieces: ["a", "b"] });
    const { text } = read(frames.join(""), { wantsUsage: true, shownName: 'größe "1"' });
    expect(text).toBe(frames.join("").replaceAll('"upstream-1"', () => JSON.stringify('größe "1"')));
  });

  test.for([
    [
      "formatted with spaces",
      [chunk({}), chunk({})].map((each) => `data: ${JSON.stringify(each, null, 1).replaceAll("\n", "")}\n\n`),
    ],
    ["empty in the first frame", [chunk({ model: "", choices: [] }), chunk({}), stopped].map(sseFrame)],
    ["different in each frame", [chunk({ model: "a" }), chunk({ model: "b" }), chunk({ model: "a" })].map(sseFrame)],
    ["after a changing ID", [chunk({ id: "1" }), chunk({ id: "22" }), chunk({ id: "333" })].map(sseFrame)],
    ["the last member of its frame", ["a", "b"].map((id) => sseFrame({ id, choices: [], model: "upstream-1" }))],
    [
      "after text that looks like a frame",
      [sseFrame({ id: "1", choices: [{ delta: { content: 'see data: {"model":"x"}' } }], model: "upstream-1" })],
    ],
    ["written with escapes", [sseFrame(chunk({})).replace("upstream-1", 'upstr\\u0065am\\"1')]],
  ] as const)("is the caller's if the upstream's is %s", ([, frames]) => {
    const { text } = read(frames.join(""));
    expect(modelsIn(text)).toEqual(frames.map(() => "group"));
  });

  test("is unchanged in nested objects", () => {
    const inner = { model: "upstream-1" };
    const frames = [
      { ...inner, choices: [], router: inner },
      { router: inner, choices: [], ...inner },
      { router: inner, choices: [] },
      { ...inner, choices: [], router: inner },
    ];
    const { text } = read(frames.map(sseFrame).join(""));
    const expected = frames.map((frame) => ("model" in frame ? { ...frame, model: "group" } : frame));
    expect(text).toBe(expected.map(sseFrame).join(""));
  });

  test("is found in bounded time if the word 'model' occurs many times in a frame", () => {
    const frame = sseFrame({ many: Array(20_000).fill({ model: 1 }), choices: [], model: "upstream-1" });
    const before = process.threadCpuUsage();
    expect(modelsIn(read(frame).text)).toEqual(["group"]);
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

describe("usage in an OpenAI stream", () => {
  const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };

  test("is read and hidden from a client that didn't request it", () => {
    const { text, usage: found } = read(chatFrames({ inputTokens: 9, outputTokens: 2 }).join(""));
    expect(found).toMatchObject({ inputTokens: 9, outputTokens: 2, source: "reported" });
    expect(text).not.toContain("usage");
    expect(text.endsWith(DONE_FRAME)).toBe(true);
  });

  test("is read and relayed to a client that requested it", () => {
    const stream = chatFrames({ model: "group", inputTokens: 9, outputTokens: 2 }).join("");
    const { text, usage: found } = read(stream, { wantsUsage: true });
    expect(found).toMatchObject({ inputTokens: 9, outputTokens: 2 });
    expect(text).toBe(stream);
  });

  test("next to a choice is removed without changing other bytes of the frame", () => {
    const frame =
      'data: {"id":"1","choices":[{"index":0,"delta":{"content":"\\u00e9\\ud83d\\ude00é😀"}}],"usage":{"prompt_tokens":9,"completion_tokens":2},"z":1.50}\n\n';
    const { text, usage: found } = read(frame);
    expect(found).toMatchObject({ inputTokens: 9, outputTokens: 2 });
    expect(text).toBe(frame.replace('"usage":{"prompt_tokens":9,"completion_tokens":2},', ""));
  });

  test("is the last total if every frame has a running total", () => {
    const totals = [1, 2, 3].map((completion_tokens) => sseFrame(chunk({ usage: { ...usage, completion_tokens } })));
    const { text, usage: found } = read(totals.join("") + sseFrame(stopped) + DONE_FRAME);
    expect(found).toMatchObject({ outputTokens: 3 });
    expect(text).not.toContain("usage");
    expect(modelsIn(text)).toHaveLength(4);
  });

  test("is ignored and hidden from the client if it is invalid", () => {
    const { text, usage: found } = read(sseFrame(chunk({ usage: { prompt_tokens: -1 } }, [])) + DONE_FRAME);
    expect(found).toBeNull();
    expect(text).toBe(DONE_FRAME);
  });

  test("isn't read from the text of a response", () => {
    const content = `"usage":${JSON.stringify(usage)},"usage":null`;
    const { text, usage: found } = read(sseFrame(chunk({}, [{ index: 0, delta: { content } }])));
    expect(found).toBeNull();
    expect(JSON.parse(text.slice(6)).choices[0].delta.content).toBe(content);
  });
});

describe("delivered output of an OpenAI stream", () => {
  const tokensOf = (frames: readonly string[]) => {
    const reader = new OpenAiStreamReader(makeChatCall({ text: '{"messages":[],"stream":true}' }));
    for (const frame of frames) reader.push(Buffer.from(frame, "utf8").toString("latin1"));
    return reader.output.count();
  };
  const words = 'the "quick" brown fox\njumps över the \\ lazy 🦊 and then sleeps'.split(/(?<= )/);

  test("is counted by its text, for any frame format and network split", () => {
    // The stream is cut before its last frames, so no usage arrives.
    const frames = chatFrames({ pieces: words, includeUsage: false }).slice(0, -2);
    const escaped = frames.map((frame) => frame.replaceAll("ö", "\\u00f6").replaceAll("🦊", "\\ud83e\\udd8a"));
    for (const arrived of [frames, [frames.join("")], frames.map((frame) => frame.replaceAll('":', '": ')), escaped]) {
      expect(tokensOf(arrived)).toBe(countText(words.join("")));
    }
  });

  test("includes tool call arguments and reasoning", () => {
    const call = { tool_calls: [{ index: 0, function: { arguments: '{"city":"Oslo"}' } }] };
    expect(tokensOf([sseFrame(chunk({}, [{ index: 0, delta: call }]))])).toBe(countText('{"city":"Oslo"}'));
    const thought = { reasoning_content: "first, the facts" };
    expect(tokensOf([sseFrame(chunk({}, [{ index: 0, delta: thought }]))])).toBe(countText("first, the facts"));
  });

  test("is 0 tokens before the first text", () => {
    expect(tokensOf([sseFrame(chunk({}, [{ index: 0, delta: { role: "assistant", content: "" } }]))])).toBe(0);
  });
});

describe("end of an OpenAI stream", () => {
  test("is the [DONE] frame", () => {
    const { isDone, failure, text } = read(sseFrame(stopped) + DONE_FRAME);
    expect([isDone, failure]).toEqual([true, null]);
    expect(text.split("[DONE]")).toHaveLength(2);
  });

  test("is added if the upstream omits [DONE] after a finish reason", () => {
    for (const frame of [sseFrame(stopped), sseFrame(stopped).replaceAll('":', '": ')]) {
      const { isDone, text } = read(sseFrame(chunk({})) + frame);
      expect(isDone).toBe(true);
      expect(text.endsWith(DONE_FRAME)).toBe(true);
    }
  });

  test("without [DONE] is a failure if there was no finish reason", () => {
    const { isDone, failure, text } = read(sseFrame(chunk({})));
    expect([isDone, failure]).toEqual([false, "bad_gateway"]);
    expect(text).toBe(sseFrame(chunk({ model: "group" })));
  });

  test("in the middle of a frame drops that frame", () => {
    const { failure, text } = read(sseFrame(chunk({})) + sseFrame(stopped).slice(0, 40));
    expect(failure).toBe("bad_gateway");
    expect(text).toBe(sseFrame(chunk({ model: "group" })));
  });

  test("isn't detected in the text of a response", () => {
    const { isDone } = read(sseFrame(chunk({}, [{ index: 0, delta: { content: "data: [DONE]" } }])));
    expect(isDone).toBe(false);
  });

  test.for(["data:[DONE]\n\n", "data: [DONE]\n\n\n", "data: [DONE]\n\n: bye\n\n", "data: [DONE]"])(
    "is sent to the client once if the upstream writes it as %j",
    (mark) => {
      const { isDone, text } = read(sseFrame(stopped) + mark);
      expect(isDone).toBe(true);
      expect(text).toBe(sseFrame({ ...stopped, model: "group" }) + DONE_FRAME);
    },
  );
});

describe("error in an OpenAI stream", () => {
  test.for([
    ["alone", { error: { message: "no", type: "server_error" } }, "internal_error"],
    ["with a status", { error: { message: "slow down", code: 429 } }, "upstream_rate_limit"],
    ["as text", { error: "no" }, "internal_error"],
    ["after other members", { ...chunk({}), error: { message: "no", code: 502 } }, "bad_gateway"],
  ] as const)("%s ends the stream after the earlier frames are relayed", ([, error, code]) => {
    const { failure, isDone, text } = read(sseFrame(chunk({})) + sseFrame(error) + sseFrame(stopped) + DONE_FRAME);
    expect([failure, isDone]).toEqual([code, false]);
    expect(text).toBe(sseFrame(chunk({ model: "group" })));
  });

  test("sent as a named event leaves no partial frame", () => {
    const { failure, text } = read(`${sseFrame(chunk({}))}event: error\n${sseFrame({ error: { message: "no" } })}`);
    expect(failure).toBe("internal_error");
    expect(text).not.toContain("event");
  });

  test.for([
    ["null", { error: null }],
    ["inside another object", { tool: { error: { message: "no" } } }],
    ["plain text", { choices: [{ index: 0, delta: { content: "error" }, note: "error" }] }],
  ] as const)("is ignored if it is %s", ([, fields]) => {
    const { failure, isDone } = read(sseFrame(chunk(fields)) + sseFrame(stopped) + DONE_FRAME);
    expect([failure, isDone]).toEqual([null, true]);
  });
});

describe("OpenAI stream reader", () => {
  test("relays the earlier frames and then fails if a frame exceeds the size limit", () => {
    const { failure, text } = read(`${sseFrame(chunk({}))}data: {"x":"${"y".repeat(1_100_000)}`);
    expect(failure).toBe("bad_gateway");
    expect(text).toBe(sseFrame(chunk({ model: "group" })));
  });

  test("relays comments to keep the connection open", () => {
    expect(read(`: wait\n\n${sseFrame(stopped)}${DONE_FRAME}`).text).toMatch(/^: wait\n\n/);
  });

  test("never throws for arbitrary bytes", () => {
    const line = fc.constantFrom(
      "data: ",
      "data:",
      "\n",
      "\r\n",
      "{",
      "}",
      '"model":',
      '"usage":{',
      '"error"',
      "[DONE]",
      '"',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string({ maxLength: 4 }))), fc.boolean(), (pieces, wantsUsage) => {
        readPieces(
          pieces.map((piece) => Buffer.from(piece)),
          { wantsUsage },
        );
      }),
      { numRuns: 500 },
    );
  });
});
