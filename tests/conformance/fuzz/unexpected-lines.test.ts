import { expect, test } from "vitest";
import { unexpectedLines } from "./unexpected-lines.ts";

const line = (level: number, message: string) =>
  JSON.stringify({ level, name: "tollgate", error: { message, stack: "    at someplace" }, msg: "something happened" });

test("an exception that a request caused is unexpected", () => {
  const failed = line(50, "Cannot read properties of undefined");
  const warned = line(40, 'invalid input syntax for type uuid: "0"');
  const raw = "(node:1) Warning: a promise was rejected";
  expect(unexpectedLines(`${failed}\n${warned}\n${raw}\n`)).toEqual([failed, warned, raw]);
});

test("a warning that the database did not answer in time is expected of a busy machine", () => {
  const waits = ["Query read timeout", "timeout expired", "timeout exceeded when trying to connect"];
  expect(unexpectedLines(waits.map((message) => `${line(40, message)}\n`).join(""))).toEqual([]);
});

test("an error is unexpected, also if the database did not answer in time", () => {
  const failed = line(50, "Query read timeout");
  expect(unexpectedLines(failed)).toEqual([failed]);
});
