import { describe, expect, test } from "vitest";
import { messagesTokenCounting } from "./count-tokens.ts";
import { SONNET, targetOf } from "./messages-call.fixture.ts";

function bodyFor(body: Record<string, unknown>): unknown {
  const { path, body: bytes } = messagesTokenCounting.buildRequest(body, targetOf());
  expect(path).toBe("/v1/messages/count_tokens");
  return JSON.parse(String(bytes));
}

const said = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

describe("Anthropic token count request", () => {
  test("contains a plain prompt as a user message", () => {
    expect(bodyFor({ prompt: "Grüße" })).toEqual({ model: SONNET, messages: [said("Grüße")] });
  });

  test("contains a conversation with its system messages and tools", () => {
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

  test("preserves a body that is already in the Anthropic format", () => {
    const messages = [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] }];
    const tools = [{ name: "f", input_schema: { type: "object" } }];
    expect(bodyFor({ messages, tools })).toEqual({ model: SONNET, messages, tools });
  });

  test("omits invalid messages, system prompts, and tools", () => {
    expect(bodyFor({ messages: [null, 3], system: 5, tools: "x" })).toEqual({ model: SONNET, messages: [] });
  });
});

test.for([
  ['{"input_tokens":14}', 14],
  ['{"input_tokens":-1}', null],
  ['{"input_tokens":"14"}', null],
  ["null", null],
  ["<html>", null],
] as const)("reading the token count from the response %s returns %s", ([text, count]) => {
  expect(messagesTokenCounting.readCount(text)).toBe(count);
});
