import { Failure } from "@tollgate/contracts/failures.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countText } from "./count-text.ts";
import { hasTokens, itemsOf, mostTokens, textsOf } from "./text-or-tokens.ts";

test("distinguishes one item from several items, for both text and tokens", () => {
  expect(itemsOf("a")).toEqual(["a"]);
  expect(itemsOf(["a", "b"])).toEqual(["a", "b"]);
  expect(itemsOf([1, 2])).toEqual([[1, 2]]);
  expect(itemsOf([[1, 2], [3]])).toEqual([[1, 2], [3]]);
  expect([hasTokens("a"), hasTokens(["a"]), hasTokens([1]), hasTokens([[1]])]).toEqual([false, false, true, true]);
});

test("decodes tokens with the model's vocabulary", () => {
  expect(textsOf([15339, 1917], "text-embedding-3-small", "input")).toEqual(["hello world"]);
  expect(textsOf([24912, 2375], "gpt-4o-mini", "input")).toEqual(["hello world"]);
  expect(textsOf([24912, 2375], "openai/gpt-5", "input")).toEqual(["hello world"]);
  expect(textsOf(["as it is"], "any", "input")).toEqual(["as it is"]);
  expect(() => textsOf([[1], [999_999_999]], "any", "input")).toThrow(Failure);
});

test("the token bound is never below the token count of ordinary text", () => {
  const word = fc.constantFrom(
    "toll",
    "gate",
    "I",
    "const x = f(y[0]);",
    "Größe",
    "世界",
    "通行料金",
    "नमस्ते",
    "สวัสดี",
    "😀",
  );
  fc.assert(
    fc.property(fc.array(fc.array(word, { minLength: 1 }), { minLength: 1, maxLength: 5 }), (texts) => {
      const given = texts.map((words) => words.join(" "));
      const counted = given.reduce((sum, text) => sum + countText(text), 0);
      const bytes = given.map((text) => Buffer.from(text, "utf8").toString("latin1"));
      expect(mostTokens(bytes, null)).toBeGreaterThanOrEqual(counted);
    }),
  );
  expect(mostTokens([[1, 2, 3], [4]], null)).toBe(4);
  expect(mostTokens([[1, 2, 3], [4]], 2)).toBe(3);
});
