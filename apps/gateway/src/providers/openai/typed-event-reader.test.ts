import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputMeter } from "../../tokens/output-meter.ts";
import { findTranscriptTexts } from "../../wire/delta-texts.ts";
import { readTokenUsage } from "./read-media-usage.ts";
import { TypedEventReader } from "./typed-event-reader.ts";

const reader = () =>
  new TypedEventReader({
    lastType: "transcript.text.done",
    output: new OutputMeter(findTranscriptTexts),
    readUsage: ({ usage }) => readTokenUsage(usage),
  });

const delta = (text: string) => `data: ${JSON.stringify({ type: "transcript.text.delta", delta: text })}\n\n`;
const done = `data: ${JSON.stringify({ type: "transcript.text.done", usage: { input_tokens: 3, output_tokens: 2 } })}\n\n`;

test("produces the same output for any network split and line ending", () => {
  const words = fc.array(fc.constantFrom("toll", " \\n", '"transcript.text.done"', '"error"', "[DONE]", "\r\n"), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(
      words,
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 40 }),
      (said, crlf, cuts) => {
        const sent = said.map(delta).join("") + done;
        const arrives = `${crlf ? sent.replaceAll("\n", "\r\n") : sent}data: [DONE]\n\n`;
        const reading = reader();
        let received = "";
        let start = 0;
        for (const length of [...cuts, arrives.length]) {
          if (!reading.isDone) received += reading.push(arrives.slice(start, start + length));
          start += length;
        }
        if (!reading.isDone) received += reading.end();
        expect(received).toBe(sent);
        expect(reading.usage).toEqual({ ...NO_USAGE, inputTokens: 3, outputTokens: 2 });
        expect(reading.failure).toBeNull();
      },
    ),
  );
});

test("an error ends the stream after earlier events are relayed", () => {
  const reading = reader();
  expect(reading.push(`${delta("Hi")}data: {"type":"error","error":{"message":"no"}}\n\n${done}`)).toBe(delta("Hi"));
  expect(reading.failure).toMatchObject({ code: "internal_error" });
  expect(reading.isDone).toBe(false);
});

test("accepts a final event without the empty line after it, and fails if the final event is missing", () => {
  const whole = reader();
  expect(whole.push(done.trimEnd()) + whole.end()).toBe(done);
  expect(whole.isDone).toBe(true);
  const cut = reader();
  expect(cut.push(delta("Hi")) + cut.push('data: {"type":"transcript.te') + cut.end()).toBe(delta("Hi"));
  expect(cut.failure).toMatchObject({ code: "bad_gateway" });
});

test("fails if a frame exceeds the size limit", () => {
  const reading = reader();
  reading.push(`data: ${"x".repeat(1024 * 1024)}`);
  expect(reading.failure).toMatchObject({ code: "bad_gateway" });
});

test("ignores invalid token counts", () => {
  for (const usage of [null, {}, { input_tokens: -1, output_tokens: 2 }, { input_tokens: 1.5, output_tokens: 2 }]) {
    expect(readTokenUsage(usage)).toBeNull();
  }
  const details = { input_tokens: 3, output_tokens: 2, input_token_details: { audio_tokens: 4 } };
  expect(readTokenUsage(details)).toMatchObject({ inputTokens: 3, audioInputTokens: 0 });
});
