import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { formatReport } from "./format-report.ts";
import { readJsonLine, readTestReport } from "./read-result.ts";
import { describeRun, runStages, sumUp } from "./run-stages.ts";
import type { Stage } from "./stage.ts";

const root = tmpdir();

/** Returns a stage that prints the lines and exits with the code. */
function stageOf(name: string, lines: readonly string[], exitCode = 0): Stage {
  const program = `for (const line of ${JSON.stringify(lines)}) console.log(line); process.exitCode = ${exitCode};`;
  return { name, command: process.execPath, args: ["-e", program], readResult: readJsonLine };
}

/** Runs stages without showing their output. */
async function run(...stages: readonly Stage[]) {
  const silent = [
    vi.spyOn(console, "log").mockImplementation(() => {}),
    vi.spyOn(process.stdout, "write").mockReturnValue(true),
    vi.spyOn(process.stderr, "write").mockReturnValue(true),
  ];
  try {
    return await runStages(stages, { root });
  } finally {
    for (const spy of silent) spy.mockRestore();
  }
}

const skipping = '{"passed":2,"failed":0,"skipped":[{"name":"full-disk","reason":"needs root"}]}';

test("runs the stages after a failed one, repeats its failure, and ends with the counts", async () => {
  const broken = stageOf("broken", ["✗ a check", "      its reason", '{"passed":3,"failed":1}'], 1);
  const all = await run(broken, stageOf("whole", [skipping]));
  expect(sumUp(all)).toEqual({ passed: 5, failed: 1 });
  const lines = describeRun(all).split("\n");
  expect(lines).toContain("--- broken failed; it said last:");
  expect(lines).toContain("      its reason");
  expect(lines.slice(-4)).toEqual(["1 skipped:", "  whole: full-disk (needs root)", "", "5 passed, 1 failed"]);
});

test("says that no check was skipped", async () => {
  const all = await run(stageOf("whole", ['{"passed":1,"failed":0}']));
  expect(describeRun(all)).toBe("0 skipped\n\n1 passed, 0 failed");
});

test.for([
  [
    "a stage that fails although no check failed",
    stageOf("odd", ['{"passed":3,"failed":0}'], 1),
    { passed: 3, failed: 1 },
  ],
  ["a stage that ends without its counts", stageOf("cut", ["half a li"], 0), { passed: 0, failed: 1 }],
  ["a program that is missing", { name: "gone", command: "/no/such/program", args: [] }, { passed: 0, failed: 1 }],
] as const)("counts %s as failed", async ([, stage, count]) => {
  expect(sumUp(await run(stage))).toEqual(count);
});

test("reads a last line that is longer than the kept output", async () => {
  const program = `console.log("first\\n" + JSON.stringify({ passed: 7, failed: 0, figures: "x".repeat(300_000) }))`;
  const stage = { name: "long", command: process.execPath, args: ["-e", program], readResult: readJsonLine };
  expect(sumUp(await run(stage))).toEqual({ passed: 7, failed: 0 });
});

test("names the skipped tests of a test report and what they need", () => {
  const folder = mkdtempSync(join(tmpdir(), "stages-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "tests.json");
  const assertionResults = [
    { status: "passed", fullName: "one", meta: {} },
    { status: "skipped", fullName: "two", meta: { needs: "strace" } },
    { status: "todo", fullName: "three", meta: {} },
  ];
  const testResults = [{ name: join(folder, "apps/a.test.ts"), assertionResults }];
  writeFileSync(file, JSON.stringify({ numPassedTests: 1, numFailedTests: 0, testResults }));
  expect(readTestReport(file, folder)).toEqual({
    passed: 1,
    failed: 0,
    skipped: [
      { name: "apps/a.test.ts › two", reason: "needs strace" },
      { name: "apps/a.test.ts › three", reason: "todo" },
    ],
  });
});

test("the report has a row for each suite, including those that have not run, and each closing line", async () => {
  const stages = [
    stageOf("whole", [skipping]),
    stageOf("broken", ['{"passed":0,"failed":2}'], 1),
    stageOf("later", []),
  ];
  const ended = (await run(...stages.slice(0, 2))).map((one) => ({ ...one, seconds: 90 }));
  const report = formatReport({ commit: "abc", startedAt: new Date(0), endedAt: new Date(180_000), stages, ended });
  expect(report).toContain("Commit abc, started 1970-01-01T00:00:00.000Z, 3 minutes: 2 passed, 2 failed, 1 skipped.");
  expect(report).toContain("| whole | passed | 2 | 0 | 1 | 90 |");
  expect(report).toContain("| broken | **failed** | 0 | 2 | 0 | 90 |");
  expect(report).toContain("| later | did not run | | | | |");
  expect(report).toContain("- whole: full-disk (needs root)");
  expect(report).toContain(`### whole\n\n\`\`\`text\n${skipping}\n\`\`\``);
});
