import { expect } from "@playwright/test";
import { addFigures, noteFound } from "../stage/figures.ts";
import { compareAccounts } from "./compare-accounts.ts";
import { compareCredit, compareLogs, compareUsage } from "./compare-api.ts";
import { compareCommandLine } from "./compare-command-line.ts";
import {
  compareCreditsPage,
  compareHealthPage,
  compareKeyPages,
  compareLogsPage,
  compareModels,
  compareTeamPages,
} from "./compare-console.ts";
import { compareHealth } from "./compare-health.ts";
import { compareChanges, compareHome } from "./compare-home.ts";
import { compareMetrics } from "./compare-metrics.ts";
import { compareRequests, compareSessions } from "./compare-requests.ts";
import { compareUsagePage } from "./compare-usage-page.ts";
import { Comparison } from "./comparison.ts";
import { type Seeded, test } from "./figures-test.ts";

/** Fewer comparisons mean that pages show less than they should. */
const ENOUGH = 300;

const parts: readonly (readonly [name: string, run: (comparison: Comparison, seeded: Seeded) => Promise<void>])[] = [
  ["metrics", compareMetrics],
  ["usage reports", compareUsage],
  ["logs", compareLogs],
  ["credit", compareCredit],
  ["accounts", compareAccounts],
  ["health", compareHealth],
  ["Home", compareHome],
  ["changes", compareChanges],
  ["Usage", compareUsagePage],
  ["Logs", compareLogsPage],
  ["requests", compareRequests],
  ["sessions", compareSessions],
  ["Keys", compareKeyPages],
  ["Teams", compareTeamPages],
  ["Credits", compareCreditsPage],
  ["Health", compareHealthPage],
  ["Models", compareModels],
  ["command line", compareCommandLine],
];

test("every figure is the same in the console, the command line, files, metrics, the API, and the rows", async ({
  seeded,
}) => {
  const comparison = new Comparison();
  for (const [name, run] of parts) {
    // A part that cannot be read must not hide the differences of the others.
    const before = comparison.compared;
    await test.step(name, () =>
      run(comparison, seeded).catch((error: unknown) => comparison.differ(name, `could not be read: ${String(error)}`)),
    );
    if (comparison.compared === before) comparison.differ(name, "nothing was compared");
  }
  const { compared, differences } = comparison;
  addFigures({ compared, different: differences.length });
  noteFound(`${compared} compared, ${differences.length} different`);
  if (differences.length > 0) throw new Error(`${differences.length} different:\n${differences.join("\n")}`);
  expect(compared).toBeGreaterThanOrEqual(ENOUGH);
});
