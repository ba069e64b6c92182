import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { editTexts } from "../adversary/apply-edits.ts";
import { toEdits } from "./defect.ts";
import { areas } from "./defects.ts";

const root = join(import.meta.dirname, "../..");
const defects = Object.values(areas).flat();

// The defects are planted only nightly. This test detects a source change that breaks one before the nightly run does.
describe.each(defects)("the defect $name", (defect) => {
  test("matches the sources exactly once and changes them", () => {
    expect(editTexts(root, toEdits(defect)).size).toBe(1);
    expect(defect.replace).not.toBe(defect.search);
  });

  test("lists tests that exist", () => {
    expect(defect.tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(defect.tests.length).toBeGreaterThan(0);
  });
});

test("each defect has a name of its own", () => {
  expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
});
