import { expect, test } from "vitest";
import { surfaces, testNames, visibleTexts } from "./surfaces.ts";

test("a test name follows the names of its groups", () => {
  const source = `
describe("a key", () => {
  describe("that expired", () => {
    test("is rejected", () => {});
  });
  test.for([1, 2])("works", () => {});
});
test("another", () => {});
`;
  expect(testNames(source)).toEqual(["a key > that expired > is rejected", "a key > works", "another"]);
});

test("consecutive comment lines are one item", () => {
  const source = "// The first line\n// and the second.\nconst one = 1;\n  // Another.\n";
  expect(surfaces.code?.read(source).map((item) => item.trim())).toEqual([
    "The first line\nand the second.",
    "Another.",
  ]);
});

test("class lists and code are not visible text", () => {
  const source = `<p className="x">Last sign-in</p>; const tone = "bg-sunken hover:bg-hover";
const shown: ReadonlyMap<string, Row> | null, columns: readonly Column<Row>[] = ["(stored in plain text)"];`;
  expect(visibleTexts(source)).toEqual(["Last sign-in", "(stored in plain text)"]);
});
