import { expect, test } from "vitest";
import { readTools } from "./read-tools.ts";

const tool = { type: "function", function: { name: "find_order" } };

test.each([
  ["  ", []],
  [JSON.stringify([tool]), [tool]],
  [JSON.stringify(tool), [tool]],
  ["[1]", 'Each tool is an object with a "type".'],
  ["[", "This is no JSON yet."],
])("%s", (text, tools) => {
  expect(readTools(text)).toEqual(tools);
});
