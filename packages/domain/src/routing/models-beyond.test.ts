import fc from "fast-check";
import { expect, test } from "vitest";
import { findRefusingList } from "./model-permission.ts";
import { modelsBeyond } from "./models-beyond.ts";

const part = fc.constantFrom("a", "b", "/", "*");
const entry = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""));
const name = fc.array(fc.constantFrom("a", "b", "/"), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));

test("a list within another list permits no model that the other list refuses", () => {
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 3 }),
      fc.array(entry, { minLength: 1, maxLength: 3 }),
      fc.array(name, { minLength: 1, maxLength: 20 }),
      (inner, outer, names) => {
        fc.pre(modelsBeyond(inner, outer).length === 0);
        for (const model of names) {
          const described = { names: [model], accessGroups: [] };
          const lists = { key: inner, team: [], user: [], organization: outer };
          expect(findRefusingList(lists, described)).not.toBe("organization");
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("an empty list permits all models, and no special entry widens a non-empty list", () => {
  expect(modelsBeyond(["*", "all-proxy-models"], [])).toEqual([]);
  expect(modelsBeyond(["all-team-models", "fast"], ["fast"])).toEqual([]);
  expect(modelsBeyond(["all-proxy-models", "*", "slow"], ["fast"])).toEqual(["all-proxy-models", "*", "slow"]);
});
