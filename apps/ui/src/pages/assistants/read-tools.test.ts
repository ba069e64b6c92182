import { expect, test } from "vitest";
import { readTools } from "./read-tools.ts";

const tool = { type: "function", function: { name: "find_order" } };

test.each([
  ["  ", []],
  [JSON.stringify([tool]), [tool]],
  [JSON.stringify(tool), [tool]],
  ["[1]", 'Each tool must be an object with a "type".'],
  ["[", "Invalid JSON."],
])("reads the tools in %j, or returns an error message", (text, tools) => {
  expect(readTools(text)).toEqual(tools);
});
