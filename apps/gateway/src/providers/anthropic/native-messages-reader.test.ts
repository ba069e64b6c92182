import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { expect, test } from "vitest";
import type { TranslatedCall } from "../../call/provider.ts";
import { MAX_FRAME_BYTES } from "../../wire/sse-frames.ts";
import { NativeMessagesReader } from "./native-messages-reader.ts";
import { event, refusalEvents, textEvents, thinkingEvents, toolEvents } from "./recorded.fixture.ts";

const readerOf = () => new NativeMessagesReader({ model: { shownName: "m", shownJson: '"m"' } } as TranslatedCall);
const bytesOf = (events: readonly string[]) => Buffer.from(events.join(""), "utf8").toString("latin1");

test.for([textEvents, toolEvents, thinkingEvents, refusalEvents])(
  "relays every event unchanged for any network split and line ending",
  (events) => {
    const bytes = bytesOf(events);
    const expected = bytes.replace("claude-sonnet-4-5-20250929", "m");
    for (const [given, size] of [
      [bytes, 1],
      [bytes, 100_000],
      [bytes.replaceAll("\n", "\r\n"), 3],
    ] as const) {
      const reader = readerOf();
      let relayed = "";
      for (let at = 0; at < given.length; at += size) relayed += reader.push(given.slice(at, at + size));
      expect(relayed).toBe(expected);
      expect([reader.isDone, reader.failure, reader.usage?.source]).toEqual([true, null, "reported"]);
    }
  },
);

test("recognizes events by type at any position in the JSON", () => {
  const reader = readerOf();
  const start = '{"message":{"usage":{"input_tokens":3,"output_tokens":1},"model":"x"},"type":"message_start"}';
  const end = '{"usage":{"output_tokens":4},"delta":{"stop_reason":"end_turn"},"type":"message_delta"}';
  const relayed = reader.push(`data: ${start}\n\ndata: ${end}\n\ndata: {"type" : "message_stop"}\n\nmore`);
  expect(relayed).toContain('"model":"m"');
  expect(relayed).not.toContain("more");
  expect(reader.usage).toMatchObject({ inputTokens: 3, outputTokens: 4, source: "reported" });
  expect(reader.isDone).toBe(true);
});

test("estimates output tokens until the provider reports them", () => {
  const reader = readerOf();
  reader.push(bytesOf(textEvents.slice(0, 5)));
  expect(reader.usage).toMatchObject({ inputTokens: 12, source: "estimated" });
  expect(reader.usage?.outputTokens).toBeGreaterThan(2);
});

test("closes the open block and sends a stop reason when the gateway cuts off a stream", () => {
  const reader = readerOf();
  reader.push(bytesOf(toolEvents.slice(0, 7)));
  const end = reader.cutFrames({ ...NO_USAGE, outputTokens: 9 });
  const types = [...end.matchAll(/^event: (\w+)$/gm)].map(([, type]) => type);
  expect(types).toEqual(["content_block_stop", "message_delta", "message_stop"]);
  expect(end).toContain('"index":1');
  expect(end).toContain('"stop_reason":"max_tokens"');
});

test("a stream that ends without message_stop is complete if it sent a stop reason, and failed otherwise", () => {
  const complete = readerOf();
  complete.push(bytesOf(textEvents.slice(0, -1)));
  expect(complete.end()).toContain("event: message_stop");
  expect([complete.isDone, complete.failure]).toEqual([true, null]);
  const short = readerOf();
  short.push(bytesOf(textEvents.slice(0, 4)));
  expect([short.end(), short.isDone, short.failure?.code]).toEqual(["", false, "bad_gateway"]);
});

test.for([
  ["invalid JSON", "event: message_start\ndata: {oops\n\n", "bad_gateway"],
  ["an unterminated frame", `data: ${"x".repeat(MAX_FRAME_BYTES + 1)}`, "bad_gateway"],
  ["null", "data: null\n\n", "bad_gateway"],
  ["an error", event({ type: "error", error: { type: "rate_limit_error", message: "x" } }), "upstream_rate_limit"],
] as const)("fails on %s and doesn't relay it", ([, given, code]) => {
  const reader = readerOf();
  expect(reader.push(given)).toBe("");
  expect(reader.failure?.code).toBe(code);
});
