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

test("suggests a name exactly if few letters must be changed, or if one name begins with the other", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 14 });
  fc.assert(
    fc.property(name, name, (written, other) => {
      const shorter = Math.min(written.length, other.length);
      const allowed = shorter < 3 ? 0 : shorter < 6 ? 1 : shorter < 12 ? 2 : 3;
      const isBeginning = shorter >= 3 && (written.startsWith(other) || other.startsWith(written));
      const isNear = distanceOf(written, other) <= allowed || isBeginning;
      expect(findNearestNames(written, [other])).toEqual(isNear ? [other] : []);
    }),
    { numRuns: 2_000 },
  );
});

/** Returns the number of letters to add, remove, or replace, from the whole table of distances. */
function distanceOf(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...left].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...right].entries()) {
      const replaced = (previous[column] as number) + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] as number) + 1, (current[column] as number) + 1));
    }
    previous = current;
  }
  return previous[right.length] as number;
}
