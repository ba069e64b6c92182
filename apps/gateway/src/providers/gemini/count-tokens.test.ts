import { expect, test } from "vitest";
import { tokenCounting } from "./count-tokens.ts";
import { geminiTarget } from "./gemini-answers.fixture.ts";

function build(body: Record<string, unknown>) {
  const { path, headers, body: bytes } = tokenCounting.buildRequest(body, geminiTarget());
  expect(path).toBe("/models/gemini-2.5-flash:countTokens");
  expect(headers).toContain("x-goog-api-key");
  return JSON.parse((bytes as Buffer).toString("utf8")).generateContentRequest;
}
const model = "models/gemini-2.5-flash";
const turn = (text: string) => ({ role: "user", parts: [{ text }] });

test("requests a token count for the same body that a chat call would send", () => {
  const tools = [{ type: "function", function: { name: "clock" } }];
  expect(build({ messages: [{ role: "user", content: "Grüße" }], system: "Be brief.", tools })).toEqual({
    model,
    contents: [turn("Grüße")],
    systemInstruction: { parts: [{ text: "Be brief." }] },
    tools: [{ functionDeclarations: [{ name: "clock" }] }],
  });
  expect(build({ prompt: "hello" })).toEqual({ model, contents: [turn("hello")] });
});

test("sends contents in Gemini format unchanged", () => {
  const contents = [{ role: "user", parts: [{ text: "x", unknown: 1 }] }];
  expect(build({ contents, messages: null, tools: null, system: null })).toEqual({ model, contents });
});

test("reads a valid count and returns null for any other value", () => {
  expect(tokenCounting.readCount('{"totalTokens":31,"promptTokensDetails":[]}')).toBe(31);
  for (const text of ["", "{}", '{"totalTokens":"31"}', '{"totalTokens":-1}', "null"]) {
    expect(tokenCounting.readCount(text)).toBeNull();
  }
});
