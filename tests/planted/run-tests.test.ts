import { expect, test } from "vitest";
import { judgeReport } from "./run-tests.ts";

function reportOf(...statuses: readonly string[]) {
  const assertionResults = statuses.map((status, index) => ({ status, fullName: `test ${index}` }));
  return { numTotalTests: statuses.length, testResults: [{ assertionResults }] };
}

test("a failed check counts, with its name", () => {
  expect(judgeReport(reportOf("passed", "failed"), 1, "")).toEqual({ kind: "failed", names: ["test 1"] });
});

test("a run in which every test passes has noticed nothing", () => {
  expect(judgeReport(reportOf("passed"), 0, "")).toEqual({ kind: "passed" });
});

test("a test file that cannot be loaded is not a failed check", () => {
  expect(judgeReport(reportOf(), 1, "SyntaxError: x")).toMatchObject({ kind: "broken" });
  expect(judgeReport(reportOf("passed"), 1, "SyntaxError: x")).toMatchObject({ kind: "broken" });
});

test("a run without tests or without a report is not a result", () => {
  expect(judgeReport(reportOf(), 0, "")).toMatchObject({ kind: "broken" });
  expect(judgeReport(null, null, "killed")).toMatchObject({
    kind: "broken",
    reason: expect.stringContaining("killed"),
  });
});
