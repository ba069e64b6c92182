import fc from "fast-check";
import { expect, test } from "vitest";
import { readFailure, type TurnDelta, TurnReader } from "./read-turn.ts";
import type { Json, JsonFields } from "./records.ts";

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

function whole(message: JsonFields, finish: string): JsonFields {
  return { choices: [{ index: 0, message, finish_reason: finish }], usage };
}

function chunk(delta: JsonFields, finish: string | null = null): JsonFields {
  return { choices: [{ index: 0, delta, finish_reason: finish }], usage: null };
}

function read(...bodies: readonly JsonFields[]) {
  const reader = new TurnReader();
  const deltas = bodies.flatMap((body) => reader.add(body));
  return { turn: reader.read(), deltas };
}

/** Combines all deltas into the content that a listener has at the end. */
function gather(deltas: readonly TurnDelta[]) {
  const calls: { name: string; arguments: string }[] = [];
  let text = "";
  for (const delta of deltas) {
    if (delta.kind === "text") text += delta.value;
    if (delta.kind !== "call") continue;
    if (delta.name !== undefined) calls[delta.index] = { name: delta.name, arguments: "" };
    const call = calls[delta.index];
    if (call === undefined) throw new Error("a piece came before its call");
    call.arguments += delta.arguments;
  }
  return { text, calls };
}

test("a response produces the same turn however it is split, and listeners receive the whole response", () => {
  const pieces = fc.array(fc.string(), { maxLength: 6 });
  const call = fc.record({ name: fc.string({ minLength: 1 }), pieces });
  fc.assert(
    fc.property(pieces, fc.array(call, { maxLength: 4 }), (words, calls) => {
      const expected = calls.map(({ name, pieces: parts }) => ({ name, arguments: parts.join("") }));
      const given = expected.map((called, index) => ({ id: `${index}`, type: "function", function: called }));
      const content = words.join("");
      const one = read(whole({ role: "assistant", content, tool_calls: given }, "stop"));
      const many = read(
        chunk({ role: "assistant", content: "" }),
        ...words.map((word) => chunk({ content: word })),
        ...calls.flatMap(({ name, pieces: parts }, index) => [
          chunk({ tool_calls: [{ index, id: "x", type: "function", function: { name, arguments: "" } }] }),
          ...parts.map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
        ]),
        chunk({}, "stop"),
        { choices: [], usage },
      );
      expect(many.turn).toEqual(one.turn);
      expect(many.turn).toMatchObject({ text: content, calls: expected, finish: "stop" });
      expect(many.turn.usage).toEqual({ promptTokens: 7, completionTokens: 3 });
      expect(gather(many.deltas)).toEqual({ text: content, calls: expected });
    }),
  );
});

test("reasoning and vendor signatures are stored with their tool calls", () => {
  const thought = { type: "thinking", thinking: "hm", signature: "s" };
  const called = { index: 0, id: "a", function: { name: "f", arguments: "{}" }, extra_content: { google: 1 } };
  const { turn } = read(chunk({ thinking_blocks: [thought] }), chunk({ tool_calls: [called] }, "tool_calls"));
  expect(turn.thoughts).toEqual([thought]);
  expect(turn.calls).toEqual([{ name: "f", arguments: "{}", extra: { google: 1 } }]);
});

test("any upstream data is handled without an error, and a tool call has a valid index", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), fc.integer(), (values, value, index) => {
      const piece = { index, function: { name: value, arguments: value } } as Json;
      const bodies = values.map((item) => ({
        choices: [{ delta: { content: item, tool_calls: [piece] } }],
        usage: item,
      }));
      const { turn } = read(...(bodies as JsonFields[]), { choices: value } as JsonFields);
      expect(turn.calls.length).toBeLessThanOrEqual(1);
      expect(typeof turn.text).toBe("string");
    }),
  );
});

test("failures have the codes of the API contract and report a prompt that is too long", () => {
  const error = (type: string, code: string | null = null) => ({ error: { message: "No.", type, code } });
  expect(readFailure(429, error("insufficient_quota")).code).toBe("rate_limit_exceeded");
  expect(readFailure(400, error("invalid_request_error")).code).toBe("invalid_prompt");
  expect(readFailure(404, error("invalid_request_error")).code).toBe("server_error");
  // In a stream, the 200 status was sent before the error occurred.
  expect(readFailure(200, error("invalid_request_error")).code).toBe("invalid_prompt");
  expect(readFailure(200, error("rate_limit_error")).code).toBe("rate_limit_exceeded");
  expect(readFailure(400, error("invalid_request_error", "context_length_exceeded")).isTooLong).toBe(true);
  expect(readFailure(502, null)).toEqual({
    code: "server_error",
    message: "The model did not respond.",
    isTooLong: false,
  });
});
