import { expect, test } from "vitest";
import { readRequest } from "./read-request.ts";

test("reads the routing fields from a pasted request", () => {
  const request = {
    model: "gpt-5",
    stream: true,
    messages: [{ role: "user", content: "a".repeat(36) }],
    metadata: { tags: ["eu", 3, ""] },
    response_format: { type: "json_schema", json_schema: {} },
  };
  expect(readRequest(JSON.stringify(request))).toEqual({
    model: "gpt-5",
    inputTokens: 10,
    stream: true,
    tags: ["eu"],
    requirements: { responseSchema: true },
  });
});

test.each([
  ["{", "Invalid JSON."],
  ["[]", "The request must be a JSON object."],
  ["{}", 'The request has no "model" field.'],
])("%s is an invalid request", (text, sentence) => {
  expect(readRequest(text)).toBe(sentence);
});
