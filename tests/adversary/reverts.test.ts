import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { revertTexts } from "./apply-revert.ts";
import { cases } from "./cases.ts";
import { reverts } from "./reverts.ts";

const root = join(import.meta.dirname, "../..");

// The reverts run nightly. This test notices earlier if a change breaks them.
describe.each(reverts)("the revert $name", (revert) => {
  test("matches the sources exactly once", () => {
    expect(revertTexts(root, revert).size).toBeGreaterThan(0);
  });

  test("names cases of the suite", () => {
    expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining([...revert.cases]));
  });
});

test("the error for an edit that does not match names its revert and its file", () => {
  const edit = { file: "package.json", before: "no such text", after: "" };
  const revert = { name: "stale", effect: "", cases: [], edits: [edit] };
  expect(() => revertTexts(root, revert)).toThrow("revert 'stale': package.json has 0 matches instead of 1");
});
