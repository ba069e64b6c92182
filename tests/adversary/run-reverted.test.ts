import { expect, test } from "vitest";
import { summarize } from "./report.ts";
import type { CaseReport } from "./run-case.ts";
import { runReverted } from "./run-reverted.ts";
import type { WorkingCopy } from "./working-copy.ts";

const REPORT: CaseReport = {
  name: "cuts-chat",
  seconds: 1,
  judgments: [],
  problems: [],
  isCrash: false,
  figures: {},
  skipped: null,
};

/** Returns a fake working copy in which every run prints this output. */
function copyPrinting(output: string, exitCode: number | null): WorkingCopy {
  return { folder: "", commit: "", run: async () => ({ exitCode, output, errors: "" }) };
}

async function judge(report: Partial<CaseReport>, exitCode: number | null): Promise<string | null> {
  const output = `one line\n${JSON.stringify(summarize([{ ...REPORT, ...report }], [], 1))}\n`;
  return (await runReverted(copyPrinting(output, exitCode), ["cuts-chat"], 1)).problem;
}

test("accepts a case whose promise is broken without the fix", async () => {
  expect(await judge({ problems: ["billed 2, charged 1"] }, 1)).toBeNull();
});

test("reports a case that passes without the fix", async () => {
  expect(await judge({}, 0)).toBe("cuts-chat passes without the fix");
});

test("reports a run in which a different case failed", async () => {
  expect(await judge({ name: "ledger-verify", problems: ["R12 differs"] }, 1)).toBe("cuts-chat passes without the fix");
});

test("reports a case that crashes or is skipped", async () => {
  expect(await judge({ problems: ["nothing within 300000 ms"], isCrash: true }, 1)).toBe("cuts-chat crashed");
  expect(await judge({ skipped: "it needs root" }, 0)).toBe("cuts-chat was skipped");
});

test("reports a run that was ended by a signal after it printed its result", async () => {
  expect(await judge({ problems: ["billed 2, charged 1"] }, null)).toBe("the run ended with null instead of 1");
});

test("reports a stage that does not start, and includes the last lines of its output", async () => {
  const copy = copyPrinting("adversary: seed 1\nError: gateways ended before it served\n", 1);
  const { problem, summary } = await runReverted(copy, ["cuts-chat"], 1);
  expect(problem).toContain("the run ended with 1 and no result");
  expect(problem).toContain("gateways ended before it served");
  expect(summary).toBeNull();
});
