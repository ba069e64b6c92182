import fc from "fast-check";
import { expect, test } from "vitest";
import { joinFrames } from "./join-frames.ts";
import { type Completion, framesOf, splitFrames } from "./split-answer.ts";

const tool = fc.record({
  id: fc.string(),
  type: fc.constant("function"),
  function: fc.record({ name: fc.string(), arguments: fc.string() }),
});
const message = fc
  .record({
    content: fc.option(fc.string({ unit: "grapheme" })),
    refusal: fc.option(fc.string()),
    reasoning_content: fc.option(fc.string(), { nil: undefined }),
    tool_calls: fc.option(fc.array(tool, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  })
  .map((said) => JSON.parse(JSON.stringify({ role: "assistant", ...said })) as Record<string, unknown>);
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

test("joining the frames of a stream restores the original response", () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 3 }), fc.boolean(), (messages, reportsUsage) => {
      const whole: Completion = {
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: messages.map((said, index) => ({ index, message: said, logprobs: null, finish_reason: "stop" })),
        usage,
      };
      expect(joinFrames(splitFrames(framesOf(whole, reportsUsage)), usage)).toEqual(whole);
    }),
  );
});
