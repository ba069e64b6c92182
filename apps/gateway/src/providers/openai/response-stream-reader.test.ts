import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OversizedEvent } from "../../wire/invalid-response.ts";
import { ResponseStreamReader } from "./response-stream-reader.ts";

const edits = [
  { name: "id", json: '"resp_ours"' },
  { name: "model", json: '"ours"' },
];
const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const held = (status: string, more: object = {}) => ({
  response: { id: "resp_theirs", object: "response", status, model: "theirs", output: [], ...more },
});
const usage = { input_tokens: 5, output_tokens: 3, input_tokens_details: { cached_tokens: 2 } };
const created = event("response.created", held("in_progress"));
const delta = (text: string) => event("response.output_text.delta", { delta: text });
const whole = [
  created,
  delta("Gr\\u00fc\u00c3\u009f"),
  delta('"response" [DONE]'),
  event("response.completed", held("completed", { usage })),
];
const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");
const renamed = (text: string) => text.replaceAll("resp_theirs", "resp_ours").replaceAll('"theirs"', '"ours"');

function readAll(parts: readonly string[]) {
  const reader = new ResponseStreamReader(edits);
  let read = "";
  for (const part of parts) read += reader.push(part);
  return { reader, read: read + reader.end() };
}

describe("Responses API stream", () => {
  test("is relayed unchanged except for the ID and the model, for any network split", () => {
    const text = bytes(whole.join(""));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const { reader, read } = readAll(places.slice(1).map((end, index) => text.slice(places[index], end)));
        expect(read).toBe(renamed(text));
        expect(reader).toMatchObject({
          isDone: true,
          failure: null,
          usage: { inputTokens: 3, cacheReadTokens: 2, outputTokens: 3 },
        });
      }),
      { numRuns: 60 },
    );
  });

  test("relays nothing before the model's first output", () => {
    const reader = new ResponseStreamReader(edits);
    expect(reader.push(bytes(created) + bytes(event("response.in_progress", held("in_progress"))))).toBe("");
    expect(reader.push(bytes(delta("a")))).toContain("response.created");
  });

  test("fails if it is truncated or contains an error, and relays nothing after that", () => {
    const error = { code: "server_error", message: "secret inside" };
    const cases = [
      [created, delta("a")],
      [created, delta("a"), "data: [DONE]\n\n"],
      [created, delta("a"), `event: error\ndata: ${JSON.stringify({ type: "error", ...error })}\n\n`, delta("late")],
      [created, delta("a"), event("response.failed", held("failed", { error })), delta("late")],
      [created, delta("a"), 'event: response.completed\ndata: {"type":"response.completed","respo'],
    ];
    for (const frames of cases) {
      const { reader, read } = readAll(frames.map(bytes));
      expect(reader.isDone).toBe(false);
      expect(reader.failure).not.toBeNull();
      expect(reader.failure?.message).not.toContain("secret");
      expect(read).not.toContain("late");
    }
  });

  test("reports a rate limit during the stream as upstream_rate_limit", () => {
    const error = { code: "rate_limit_exceeded", message: "Slow down." };
    const { reader } = readAll([bytes(created), bytes(event("response.failed", held("failed", { error })))]);
    expect(reader.failure?.code).toBe("upstream_rate_limit");
  });

  test("ends with response.incomplete and all completed items if the gateway truncates it", () => {
    const item = { id: "msg_1", type: "message", content: [{ type: "output_text", text: "a" }] };
    const { reader } = readAll([
      bytes(created),
      bytes(delta("a")),
      bytes(event("response.output_item.done", { output_index: 0, item })),
    ]);
    const last = reader.cutFrames({ ...NO_USAGE, inputTokens: 4, outputTokens: 2 });
    const data = JSON.parse(last.split("\ndata: ")[1] as string);
    expect(data).toMatchObject({
      type: "response.incomplete",
      sequence_number: 3,
      response: {
        id: "resp_ours",
        model: "ours",
        status: "incomplete",
        output: [item],
        incomplete_details: { reason: "max_output_tokens" },
        usage: { input_tokens: 4, output_tokens: 2, total_tokens: 6 },
      },
    });
  });

  test("fails if a frame exceeds the size limit", () => {
    const { reader } = readAll([bytes(created), `data: ${"x".repeat(5 * 1024 * 1024)}`]);
    expect(reader.failure?.code).toBe("bad_gateway");
    expect(reader.failure).toBeInstanceOf(OversizedEvent);
  });
});
