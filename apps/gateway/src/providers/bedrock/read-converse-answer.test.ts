import { expect, test } from "vitest";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { ConverseStreamReader } from "./converse-stream-reader.ts";
import { readConverseAnswer } from "./read-converse-answer.ts";

const callWith = (cacheControl: object) =>
  makeChatCall({
    text: JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: [{ type: "text", text: "x", cache_control: cacheControl }] }],
    }),
  });
const short = callWith({ type: "ephemeral" });
const long = callWith({ type: "ephemeral", ttl: "1h" });

/** Returns the one-hour cache writes of a complete response and of a stream with the same usage. */
function longWrites(call: typeof long, details: object): readonly unknown[] {
  const usage = { inputTokens: 5, outputTokens: 2, cacheWriteInputTokens: 3_000, ...details };
  const content = [{ text: "Hi" }];
  const whole = readConverseAnswer(call, JSON.stringify({ output: { message: { content } }, usage }));
  const reader = new ConverseStreamReader(call);
  const events = [
    { messageStart: { role: "assistant" } },
    { contentBlockDelta: { delta: { text: "Hi" } } },
    { messageStop: { stopReason: "end_turn" } },
    { metadata: { usage } },
  ];
  reader.push(events.map((event) => `data:${JSON.stringify(event)}\n`).join(""));
  return [whole.usage?.longCacheWriteTokens, reader.usage?.longCacheWriteTokens];
}

test("one-hour cache writes are those that the response names", () => {
  const cacheDetails = [
    { ttl: "5m", inputTokens: 1_000 },
    { ttl: "1h", inputTokens: 2_000 },
  ];
  expect(longWrites(long, { cacheDetails })).toEqual([2_000, 2_000]);
  expect(longWrites(long, { cacheDetails: [{ ttl: "5m", inputTokens: 3_000 }] })).toEqual([0, 0]);
});

test("if a response doesn't have the lifetime of its cache writes, the lifetime of the request applies", () => {
  expect(longWrites(long, {})).toEqual([3_000, 3_000]);
  expect(longWrites(long, { cacheDetails: {} })).toEqual([3_000, 3_000]);
  expect(longWrites(short, {})).toEqual([0, 0]);
});
