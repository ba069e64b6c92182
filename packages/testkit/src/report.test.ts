import { expect, test } from "vitest";
import { Report } from "./report.ts";

function collect() {
  const lines: string[] = [];
  return { lines, report: new Report({ print: (line) => void lines.push(line) }) };
}

const withoutSeconds = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/\(\d+\.\d s\)/g, "(0 s)"));

test("prints each check, the reasons of a failure, the counts, and the JSON line", async () => {
  const { lines, report } = collect();
  await report.check("pages", "home is shown", () => "3 links");
  const isKept = await report.check("pages", "keys are listed", () => {
    throw new Error("waited 5 ms", { cause: new Error("no row\nno table") });
  });
  report.record("attacks", "text stays text", null, ["20 payloads"]);
  report.skip("attacks", "full disk", "needs root");
  report.add("attacks", { passed: 2, failed: 0 });
  const { passed, failed, suites } = report;
  expect(report.close({ passed, failed, suites })).toBe(1);
  expect(isKept).toBe(false);
  expect(withoutSeconds(lines)).toEqual([
    "  ✓ pages        home is shown: 3 links (0 s)",
    "  ✗ pages        keys are listed (0 s)",
    "      waited 5 ms",
    "      caused by: no row",
    "      no table",
    "  ✓ attacks      text stays text",
    "      20 payloads",
    "  – attacks      full disk",
    "      skipped: needs root",
    "\n4 passed, 1 failed, 1 skipped: full disk (needs root)",
    '{"passed":4,"failed":1,"suites":{"pages":{"passed":1,"failed":1},"attacks":{"passed":3,"failed":0}}}',
  ]);
});

test("a run without failures ends with 0 and names no skipped check", async () => {
  const { lines, report } = collect();
  await report.check("pages", "home is shown", async () => {});
  expect(report.close(null)).toBe(0);
  expect(lines.at(-1)).toBe("\n1 passed, 0 failed");
});
