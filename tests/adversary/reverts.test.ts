import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { editTexts } from "./apply-edits.ts";
import { cases } from "./cases.ts";
import { reverts } from "./reverts.ts";
import { tamperCases } from "./tamper/tamper-cases.ts";

const root = join(import.meta.dirname, "../..");

// The reverts run only nightly. This test detects a source change that breaks a revert before the nightly run does.
describe.each(reverts)("the revert $name", (revert) => {
  test("matches the sources exactly once", () => {
    expect(editTexts(root, revert).size).toBeGreaterThan(0);
  });

  test("lists only cases that exist in the suite", () => {
    expect([...cases, ...tamperCases].map(({ name }) => name)).toEqual(expect.arrayContaining([...revert.cases]));
  });
});

test("if an edit does not match, the error names the revert and the file", () => {
  const edit = { file: "package.json", before: "no such text", after: "" };
  const revert = { name: "stale", effect: "", cases: [], edits: [edit] };
  expect(() => editTexts(root, revert)).toThrow("'stale': package.json has 0 matches instead of 1");
});
