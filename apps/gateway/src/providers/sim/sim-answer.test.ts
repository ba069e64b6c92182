import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeSimAnswer, type SimRequest } from "./sim-answer.ts";
import { parseSimModel } from "./sim-model.ts";

const user = (content: unknown): SimRequest => ({ messages: [{ role: "user", content }] });
const answer = (model: string, request: SimRequest, nowMs = 1_000) =>
  makeSimAnswer(parseSimModel(model), request, nowMs);
const textOf = (model: string, request: SimRequest) => answer(model, request).choices[0]?.tokens.join("");
const tool = {
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

test("the same request always gets the same response", () => {
  const model = fc.constantFrom("echo", "lorem", "json", "tools", "vision", "lorem?seed=3");
  fc.assert(
    fc.property(model, fc.string(), fc.option(fc.nat()), (name, content, seed) => {
      const request = { ...user(content), seed, tools: [tool] };
      const { created: _, ...one } = answer(name, request, 1_000);
      const { created: __, ...other } = answer(name, request, 99_000);
      expect(one).toEqual(other);
    }),
  );
});

test("a different prompt or seed produces different text", () => {
  const texts = [user("a"), user("b"), { ...user("a"), seed: 1 }].map((request) => textOf("lorem", request));
  texts.push(textOf("lorem?seed=9", user("a")));
  expect(new Set(texts).size).toBe(4);
});

describe("simulated models", () => {
  test("echo returns the prompt", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => void expect(textOf("echo", user(text))).toBe(text)),
    );
  });

  test("echo returns only the text parts of the last user message", () => {
    const parts = [
      { type: "text", text: "one" },
      { type: "image_url", image_url: "x" },
      { type: "text", text: "two" },
    ];
    expect(textOf("echo", { messages: [...user("first").messages, { role: "user", content: parts }] })).toMatch(
      /one .*two/,
    );
  });

  test("lorem generates the requested number of tokens", () => {
    const { choices, completionTokens } = answer("lorem?tokens=200", user("x"));
    expect(choices[0]?.tokens).toHaveLength(200);
    expect(completionTokens).toBe(200);
  });

  test("json returns a value that matches the schema", () => {
    const schema = { type: "object", properties: { age: { type: "integer" } }, required: ["age"] };
    const request = { ...user("x"), response_format: { type: "json_schema", json_schema: { schema } } };
    expect(JSON.parse(textOf("json", request) as string)).toEqual({ age: expect.any(Number) });
    expect(JSON.parse(textOf("json", user("x")) as string)).toEqual({ answer: "ok" });
  });

  test("any model returns JSON if response_format requests it", () => {
    const request = { ...user("hello"), response_format: { type: "json_object" } };
    expect(() => JSON.parse(textOf("echo", request) as string)).not.toThrow();
  });

  test("'tools' calls the first tool, then responds with its result", () => {
    const [choice] = answer("tools", { ...user("x"), tools: [tool] }).choices;
    expect(choice).toMatchObject({ finishReason: "tool_calls", toolCalls: [{ name: "weather" }] });
    expect(JSON.parse(choice?.toolCalls[0]?.arguments as string)).toEqual({ city: expect.any(String) });
    const after = {
      messages: [...user("x").messages, { role: "assistant" }, { role: "tool", content: "sunny" }],
      tools: [tool],
    };
    expect(textOf("tools", after)).toBe("sunny");
    expect(textOf("tools", user("no tools"))).toBe("no tools");
  });

  test("'tools' makes the requested number of parallel calls, then responds with all results", () => {
    const clock = { function: { name: "clock", parameters: { type: "object" } } };
    const asked = { ...user("x"), tools: [tool, clock] };
    const calls = answer("tools?calls=3", asked).choices[0]?.toolCalls ?? [];
    expect(calls.map(({ name }) => name)).toEqual(["weather", "clock", "weather"]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(answer("tools?calls=3", { ...asked, parallel_tool_calls: false }).choices[0]?.toolCalls).toHaveLength(1);
    const given = ["sunny", "noon"].map((content) => ({ role: "tool", content }));
    const messages = [...user("x").messages, { role: "tool", content: "before" }, { role: "assistant" }, ...given];
    expect(textOf("tools?calls=3", { ...asked, messages })).toBe("sunny noon");
  });

  test("vision returns the number of images", () => {
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
    expect(textOf("vision", user([image, image]))).toBe("I see 2 images.");
    expect(textOf("vision", user([image]))).toBe("I see 1 image.");
  });
});

describe("simulated response", () => {
  test("stops at the token limit with finish reason 'length'", () => {
    for (const limit of [{ max_tokens: 2 }, { max_completion_tokens: 2 }]) {
      const { choices, completionTokens } = answer("echo", { ...user("one two three"), ...limit });
      expect(choices[0]).toMatchObject({ tokens: ["one", " two"], finishReason: "length" });
      expect(completionTokens).toBe(2);
    }
    expect(answer("echo", { ...user("one two"), max_tokens: 2 }).choices[0]?.finishReason).toBe("stop");
  });

  test("has the requested number of choices and counts the tokens of all of them", () => {
    const { choices, completionTokens } = answer("lorem?tokens=10", { ...user("x"), n: 3 });
    expect(new Set(choices.map(({ tokens }) => tokens.join(""))).size).toBe(3);
    expect(completionTokens).toBe(30);
  });

  test("counts the prompt tokens plus a fixed overhead per message", () => {
    expect(answer("echo", user("one two three")).promptTokens).toBe(3 + 4);
  });
});
