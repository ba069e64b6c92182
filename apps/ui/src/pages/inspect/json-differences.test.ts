import { expect, test } from "vitest";
import { findDropped, markDifferences } from "./json-differences.ts";

test("lines that only one side has are marked", () => {
  const { left, right } = markDifferences(
    { model: "alias", temperature: 1, messages: [{ role: "user" }] },
    { messages: [{ role: "user" }], model: "real" },
  );
  expect(left.filter(({ isDifferent }) => isDifferent).map(({ text }) => text.trim())).toEqual([
    '"model": "alias",',
    '"temperature": 1,',
  ]);
  expect(right.filter(({ isDifferent }) => isDifferent).map(({ text }) => text.trim())).toEqual(['"model": "real"']);
});

test("the printed lines form the original value", () => {
  const value = { a: [1, { b: null }, []], c: {}, "d e": "x\ny" };
  const { left } = markDifferences(value, null);
  expect(JSON.parse(left.map(({ text }) => text).join("\n"))).toEqual(value);
});

test("a parameter that moved elsewhere is not reported as dropped", () => {
  const sent = { generationConfig: { temperature: 1 } };
  expect(findDropped({ temperature: 1, logprobs: true }, sent)).toEqual(["logprobs"]);
});
