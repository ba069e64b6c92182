import fc from "fast-check";
import { expect, test } from "vitest";
import { fillPattern, matchPattern } from "./match-pattern.ts";

test.for([
  ["openai/*", "openai/gpt-4o", ["gpt-4o"]],
  ["openai/*", "openai/", [""]],
  ["openai/*", "openai", null],
  ["openai/*", "my-openai/gpt-4o", null],
  ["*", "any/thing", ["any/thing"]],
  ["*-latest", "gpt-latest", ["gpt"]],
  ["*-latest", "gpt-latest-2", null],
  ["openai/*", "openai/ft:gpt/a/b", ["ft:gpt/a/b"]],
  ["a/*/b/*", "a/x/b/y/z", ["x", "y/z"]],
  ["a*a", "a", null],
  ["a*a", "aa", [""]],
  ["*a*", "banana", ["b", "nana"]],
  ["gpt-4o", "gpt-4o", []],
  ["gpt-4o", "gpt-4o-mini", null],
  ["gpt.4o", "gpt-4o", null],
  ["openai/(*)", "openai/(x)", ["x"]],
] as const)("%s on %s gives %j", ([pattern, name, captures]) => {
  expect(matchPattern(pattern, name)).toEqual(captures);
});

const piece = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 4 });

test("matches exactly the names that expanding the stars produces, and returns the text that each star matches", () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), piece, piece, (pieces, one, other) => {
      const name = `${one}${other}${one}`;
      const captures = matchPattern(pieces.join("*"), name);
      const whole = new RegExp(`^${pieces.map((text) => text.replaceAll("/", "\\/")).join("[^]*")}$`);
      expect(captures !== null).toBe(whole.test(name));
      if (captures !== null) {
        expect(captures).toHaveLength(pieces.length - 1);
        expect(pieces.map((text, index) => text + (captures[index] ?? "")).join("")).toBe(name);
      }
    }),
  );
});

test("matches a hostile pattern and name in bounded time", () => {
  const before = process.threadCpuUsage();
  matchPattern(`${"a*".repeat(200)}b`, "a".repeat(100_000));
  expect(process.threadCpuUsage(before).user).toBeLessThan(500_000);
});

test.for([
  ["*", ["gpt-4o"], "openai/gpt-4o", "gpt-4o"],
  ["gpt-4o", ["anything"], "openai/anything", "gpt-4o"],
  ["*-v2-*", ["a", "b"], "x/a/b", "a-v2-b"],
  ["*", ["a", "b"], "x/a/b", "x/a/b"],
  ["*/*", ["a"], "x/a", "a/"],
  ["*", ["$&$1"], "openai/$&$1", "$&$1"],
  ["*-*", ["*", "b"], "*b", "*-b"],
] as const)(
  "the upstream model for pattern %s, captures %j, and requested name %s is %s",
  ([template, captures, asked, filled]) => {
    expect(fillPattern(template, captures, asked)).toBe(filled);
  },
);
