import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
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

/** A piece of a tool call, as streams deliver it. */
function piece(index: number | null, id: string | null, name: string | null, given: string): Json {
  const called = { ...(name !== null && { name }), arguments: given };
  return { ...(index !== null && { index }), ...(id !== null && { id, type: "function" }), function: called };
}

const ADD = { name: "add", arguments: '{"a":1}' };
const SUB = { name: "sub", arguments: '{"b":2}' };

test.each<[string, readonly (readonly Json[])[]]>([
  ["first index 1", [[piece(1, "a", "add", "")], [piece(1, null, null, '{"a":1}')], [piece(2, "b", "sub", '{"b":2}')]]],
  ["first index 5", [[piece(5, "a", "add", '{"a"')], [piece(5, null, null, ":1}")], [piece(6, "b", "sub", '{"b":2}')]]],
  ["first index 200", [[piece(200, "a", "add", '{"a":1}')], [piece(201, "b", "sub", '{"b":2}')]]],
  [
    "indices 0 and 2",
    [[piece(0, "a", "add", '{"a":1}')], [piece(2, "b", "sub", '{"b":')], [piece(2, null, null, "2}")]],
  ],
  ["descending indices", [[piece(3, "a", "add", '{"a":1}')], [piece(1, "b", "sub", '{"b":2}')]]],
  ["a negative index", [[piece(-1, "a", "add", '{"a":1}')], [piece(0, "b", "sub", '{"b":2}')]]],
  ["two IDs under one index", [[piece(0, "a", "add", '{"a":1}')], [piece(0, "b", "sub", '{"b":2}')]]],
  ["two IDs under one index in one chunk", [[piece(0, "a", "add", '{"a":1}'), piece(0, "b", "sub", '{"b":2}')]]],
  [
    "two IDs under one index, continued without IDs",
    [
      [piece(0, "a", "add", "")],
      [piece(0, null, null, '{"a":1}')],
      [piece(0, "b", "sub", "")],
      [piece(0, null, null, '{"b":2}')],
    ],
  ],
  [
    "two IDs under one index, interleaved",
    [
      [piece(0, "a", "add", '{"a"')],
      [piece(0, "b", "sub", '{"b"')],
      [piece(0, "a", null, ":1}")],
      [piece(0, "b", null, ":2}")],
    ],
  ],
  [
    "interleaved indices, with an ID only in the first fragment",
    [
      [piece(4, "a", "add", '{"a"'), piece(2, "b", "sub", '{"b"')],
      [piece(2, null, null, ":2}")],
      [piece(4, null, null, ":1}")],
    ],
  ],
  [
    "ID and name repeated in every fragment",
    [[piece(1, "a", "add", '{"a"')], [piece(1, "a", "add", ":1}")], [piece(3, "b", "sub", '{"b":2}')]],
  ],
  ["one ID under two indices", [[piece(1, "a", "add", '{"a":1}')], [piece(2, "a", "sub", '{"b":2}')]]],
  [
    "an ID that follows later",
    [[piece(1, null, "add", '{"a"')], [piece(1, "a", null, ":1}")], [piece(2, "b", "sub", '{"b":2}')]],
  ],
  ["empty IDs", [[piece(1, "", "add", '{"a":1}')], [piece(3, "", "sub", '{"b":2}')]]],
  [
    "no indices",
    [[piece(null, "a", "add", '{"a"')], [piece(null, "a", null, ":1}")], [piece(null, "b", "sub", '{"b":2}')]],
  ],
  ["no indices and no IDs", [[piece(null, null, "add", '{"a":1}')], [piece(null, null, "sub", '{"b":2}')]]],
  [
    "no IDs under one index",
    [[piece(0, null, "add", '{"a"')], [piece(0, null, null, ":1}")], [piece(0, null, "sub", '{"b":2}')]],
  ],
])("no tool call of a stream is lost or merged: %s", (_, chunks) => {
  const { turn, deltas } = read(...chunks.map((calls) => chunk({ tool_calls: calls })), chunk({}, "tool_calls"));
  expect(turn.calls).toEqual([ADD, SUB]);
  expect(gather(deltas).calls).toEqual([ADD, SUB]);
});

test("two equal functions without IDs under one index are two tool calls", () => {
  const pieces = [piece(0, null, "add", '{"a":1}'), piece(0, null, "add", '{"a":1}')];
  expect(read(chunk({ tool_calls: pieces })).turn.calls).toEqual([ADD, ADD]);
});

test("arguments in many fragments are parsed at most once, even if each fragment repeats the name", () => {
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  const pieces = (...all: readonly string[]) =>
    all.map((given) => chunk({ tool_calls: [piece(0, null, "add", given)] }));
  const items = Array<string>(1_000).fill(',{"\\"}":"}"}');
  const valid = read(...pieces('{"a":[{}', ...items, "]}", '{"a":1}'));
  expect(valid.turn.calls).toEqual([{ name: "add", arguments: `{"a":[{}${items.join("")}]}` }, ADD]);
  expect(parse).toHaveBeenCalledTimes(1);
  // Calls beyond the maximum are dropped, but compared with the last one.
  parse.mockClear();
  read(...pieces(...Array<string>(1_000).fill('{"a":1}')));
  expect(parse).toHaveBeenCalledTimes(128);
  parse.mockClear();
  const invalid = pieces("{a}", ...items);
  expect(read(...invalid).turn.calls).toEqual([{ name: "add", arguments: `{a}${items.join("")}` }]);
  expect(parse).toHaveBeenCalledTimes(1);
});

test("a name that follows later reaches listeners with the arguments before it", () => {
  const { turn, deltas } = read(
    chunk({ tool_calls: [piece(1, "a", null, '{"a"')] }),
    chunk({ tool_calls: [piece(1, null, "add", ":1}")] }),
  );
  expect(turn.calls).toEqual([ADD]);
  expect(deltas).toEqual([{ kind: "call", index: 0, name: "add", arguments: '{"a":1}' }]);
});

test("tool calls are the same for every order of their fragments", () => {
  const call = fc.record({
    name: fc.string({ minLength: 1 }),
    pieces: fc.array(fc.string({ minLength: 1 }), { maxLength: 4 }),
    index: fc.integer({ min: 0, max: 1_000 }),
  });
  const calls = fc.uniqueArray(call, { selector: ({ index }) => index, maxLength: 5 });
  const turns = fc.array(fc.nat(), { minLength: 30, maxLength: 30 });
  fc.assert(
    fc.property(calls, turns, fc.boolean(), (given, order, sharesIndex) => {
      const rest = given.map(({ name, pieces, index }, place) => ({
        place,
        left: [name, ...pieces].map((text, part) => {
          // Fragments that share an index are distinguished by their IDs. All others have an ID only in the first one.
          const id = part === 0 || sharesIndex ? `call_${place}` : null;
          const called = part === 0 ? { name: text, arguments: "" } : { arguments: text };
          return { index: sharesIndex ? 0 : index, ...(id !== null && { id }), function: called } as Json;
        }),
      }));
      const chunks: JsonFields[] = [];
      const begun: number[] = [];
      for (let step = 0; rest.some(({ left }) => left.length > 0); step += 1) {
        const open = rest.filter(({ left }) => left.length > 0);
        const next = open[(order[step % order.length] as number) % open.length];
        if (next === undefined) break;
        if (!begun.includes(next.place)) begun.push(next.place);
        chunks.push(chunk({ tool_calls: [next.left.shift() as Json] }));
      }
      const expected = begun.map((place) => {
        const { name, pieces } = given[place] as (typeof given)[number];
        return { name, arguments: pieces.join("") };
      });
      const { turn, deltas } = read(...chunks);
      expect(turn.calls).toEqual(expected);
      expect(gather(deltas).calls).toEqual(expected);
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
