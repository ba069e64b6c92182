import fc from "fast-check";
import { expect, test } from "vitest";
import { findNearestNames } from "./nearest-names.ts";

const known = ["sim/echo", "sim/embed", "openai/gpt-4o", "openai/gpt-4o-mini", "claude-sonnet-4-5", "house"];

test.for([
  ["sim/ech", ["sim/echo"]],
  ["ecko", ["sim/echo"]],
  ["azure/gpt-4o", ["openai/gpt-4o", "openai/gpt-4o-mini"]],
  ["GPT-4o", ["openai/gpt-4o", "openai/gpt-4o-mini"]],
  ["claude-sonnet", ["claude-sonnet-4-5"]],
  ["gpt-4o-2099-01-01", ["openai/gpt-4o"]],
  ["hose", ["house"]],
  ["nothing-like-it", []],
  ["", []],
  ["x".repeat(512), []],
] as const)("suggests for '%s' the names that were meant", ([written, expected]) => {
  expect(findNearestNames(written, known)).toEqual(expected);
});

test("suggests at most three of the known names, the same for the same input", () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (written, names) => {
      const found = findNearestNames(written, names);
      expect(found.length).toBeLessThanOrEqual(3);
      for (const name of found) expect(names).toContain(name);
      expect(findNearestNames(written, names.toReversed())).toEqual(found);
    }),
  );
});
