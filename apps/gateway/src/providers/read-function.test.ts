import { expect, test } from "vitest";
import { functionOfTool } from "./read-function.ts";

const weather = { name: "weather", description: "The weather.", parameters: { type: "object" } };

test("returns the function of a tool, with or without a type", () => {
  expect(functionOfTool({ type: "function", function: weather }, "tools.0")).toBe(weather);
  expect(functionOfTool({ function: { name: "a.b" } }, "tools.0")).toEqual({ name: "a.b" });
});

test.for([{ type: "web_search" }, { type: "custom", custom: { name: "f" } }, {}])(
  "rejects a tool that is not a function: %j",
  (tool) => {
    const refusal = expect.objectContaining({ code: "unsupported_tool", facts: { param: "tools.3.type" } });
    expect(() => functionOfTool(tool, "tools.3")).toThrowError(refusal);
  },
);

test.for([
  null,
  "weather",
  [],
  {},
  { name: "" },
  { name: 1 },
  { name: "f", description: 1 },
  { name: "f", parameters: "none" },
  { name: "f", parameters: [] },
])("rejects a function that cannot be translated: %j", (definition) => {
  const refusal = expect.objectContaining({ code: "invalid_request", facts: { param: "tools.0.function" } });
  expect(() => functionOfTool({ type: "function", function: definition }, "tools.0")).toThrowError(refusal);
});
