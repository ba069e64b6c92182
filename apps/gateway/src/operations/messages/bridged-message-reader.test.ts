import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { expect, test } from "vitest";
import { OpenAiStreamReader } from "../../providers/openai/stream-reader.ts";
import { BridgedMessageReader } from "./bridged-message-reader.ts";
import type { ShownMessage } from "./to-message.ts";

const shown: ShownMessage = { modelName: "m", showsThoughts: true, toolNames: new Map([["short", "a_long_name"]]) };
const frame = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", model: "x", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const call = (index: number, more: object) => frame({ tool_calls: [{ index, ...more }] });

function readerOf(given: Partial<ShownMessage> = {}) {
  const chat = new OpenAiStreamReader({ wantsUsage: true, model: { shownName: "m", shownJson: '"m"' } } as never);
  return new BridgedMessageReader(chat, { ...shown, ...given });
}

const bytesOf = (frames: readonly string[]) => Buffer.from(frames.join(""), "utf8").toString("latin1");

/** Lists the events that a client receives, one per line: type, block, and added content. */
function received(text: string): string[] {
  return Buffer.from(text, "latin1")
    .toString("utf8")
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => {
      const { type, index, delta, content_block: block, error } = JSON.parse(event.slice(event.indexOf("data: ") + 6));
      const added = delta ?? block ?? error;
      return [type, index, ...(added === undefined ? [] : Object.values(added))]
        .filter((part) => part != null)
        .join(" ");
    });
}

const all = [
  frame({ role: "assistant", content: "" }),
  frame({ reasoning_content: "hm " }),
  frame({ reasoning_content: "so" }),
  frame({ thinking_blocks: [{ type: "thinking", thinking: "hm so", signature: "sig" }] }),
  frame({ thinking_blocks: [{ type: "redacted_thinking", data: "zzz" }] }),
  frame({ content: "Grü" }),
  frame({ content: "ße" }),
  call(0, { id: "c1", type: "function", function: { name: "short", arguments: "" } }),
  call(0, { function: { arguments: '{"a"' } }),
  call(0, { function: { arguments: ":1}" } }),
  call(1, { id: "c2", type: "function", function: { name: "other", arguments: "{}" } }),
  frame({}, "stop"),
  `data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12}}\n\n`,
  "data: [DONE]\n\n",
];

test("reasoning, text, and tool calls become consecutive blocks", () => {
  const bytes = bytesOf(all);
  for (const size of [1, 13, 10_000]) {
    const reader = readerOf();
    let written = "";
    for (let at = 0; at < bytes.length; at += size) written += reader.push(bytes.slice(at, at + size));
    expect(reader.isDone).toBe(true);
    expect(received(written)).toEqual([
      "message_start",
      "ping",
      "content_block_start 0 thinking  ",
      "content_block_delta 0 thinking_delta hm ",
      "content_block_delta 0 thinking_delta so",
      "content_block_delta 0 signature_delta sig",
      "content_block_stop 0",
      "content_block_start 1 redacted_thinking zzz",
      "content_block_stop 1",
      "content_block_start 2 text ",
      "content_block_delta 2 text_delta Grü",
      "content_block_delta 2 text_delta ße",
      "content_block_stop 2",
      "content_block_start 3 tool_use c1 a_long_name [object Object]",
      'content_block_delta 3 input_json_delta {"a"',
      "content_block_delta 3 input_json_delta :1}",
      "content_block_stop 3",
      "content_block_start 4 tool_use c2 other [object Object]",
      "content_block_delta 4 input_json_delta {}",
      "content_block_stop 4",
      "message_delta tool_use",
      "message_stop",
    ]);
    expect(reader.usage).toMatchObject({ inputTokens: 7, outputTokens: 5 });
  }
});

test("hides reasoning if the client didn't request it", () => {
  const written = readerOf({ showsThoughts: false }).push(bytesOf(all.slice(0, 6)));
  expect(received(written).slice(2)).toEqual(["content_block_start 0 text ", "content_block_delta 0 text_delta Grü"]);
});

test("a stream that the gateway cuts off ends with stop reason max_tokens", () => {
  const reader = readerOf();
  reader.push(frame({ content: "and on" }));
  const end = reader.cutFrames({ ...NO_USAGE, inputTokens: 3, outputTokens: 9 });
  expect(received(end)).toEqual(["content_block_stop 0", "message_delta max_tokens", "message_stop"]);
  expect(end).toContain('"output_tokens":9');
});

test("decodes escaped text", () => {
  const escaped = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"\\u4e16\\u00fc"}}]}\n\n';
  expect(received(readerOf().push(escaped)).at(-1)).toBe("content_block_delta 0 text_delta 世ü");
});

test("fails if the model adds to an earlier tool call or if the stream is truncated", () => {
  const back = readerOf();
  back.push(all.slice(7, 11).join(""));
  back.push(call(0, { function: { arguments: "x" } }));
  expect(back.failure?.code).toBe("bad_gateway");
  const short = readerOf();
  short.push(frame({ content: "and" }));
  short.end();
  expect([short.isDone, short.failure?.code]).toEqual([false, "bad_gateway"]);
});
