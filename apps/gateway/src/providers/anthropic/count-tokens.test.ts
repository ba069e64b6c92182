import { describe, expect, test } from "vitest";
import { messagesTokenCounting } from "./count-tokens.ts";
import { SONNET, targetOf } from "./messages-call.fixture.ts";

function bodyFor(body: Record<string, unknown>): unknown {
  const { path, body: bytes } = messagesTokenCounting.buildRequest(body, targetOf());
  expect(path).toBe("/v1/messages/count_tokens");
  return JSON.parse(String(bytes));
}

const said = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

describe("the provider is asked to count", () => {
  test("a text", () => {
    expect(bodyFor({ prompt: "Grüße" })).toEqual({ model: SONNET, messages: [said("Grüße")] });
  });

  test("a conversation with its instructions and tools", () => {
    const tool = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } };
    const messages = [{ role: "system", content: "Be brief." }, said("hello")];
    expect(bodyFor({ messages, system: "You help.", tools: [tool] })).toEqual({
      model: SONNET,
      system: [
        { type: "text", text: "You help." },
        { type: "text", text: "Be brief." },
      ],
      messages: [said("hello")],
      tools: [{ name: "f", input_schema: { type: "object", properties: {} } }],
    });
  });

  test("what is already in its own words, as it is", () => {
    const messages = [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] }];
    const tools = [{ name: "f", input_schema: { type: "object" } }];
    expect(bodyFor({ messages, tools })).toEqual({ model: SONNET, messages, tools });
  });

  test("whatever is left of something that is no conversation", () => {
    expect(bodyFor({ messages: [null, 3], system: 5, tools: "x" })).toEqual({ model: SONNET, messages: [] });
  });
});

test.for([
  ['{"input_tokens":14}', 14],
  ['{"input_tokens":-1}', null],
  ['{"input_tokens":"14"}', null],
  ["null", null],
  ["<html>", null],
] as const)("the count in %s is %s", ([text, count]) => {
  expect(messagesTokenCounting.readCount(text)).toBe(count);
});
