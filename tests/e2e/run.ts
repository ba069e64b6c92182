import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { clearArtefacts } from "./artefacts.ts";
import { payloads } from "./attacks/payloads.ts";
import { runAttacks } from "./attacks/run-attacks.ts";
import { measureBundle } from "./budgets/measure-bundle.ts";
import { measurePages } from "./budgets/measure-pages.ts";
import { runComplaints } from "./complaints/run-complaints.ts";
import { runFirstMoney } from "./journeys/first-money.ts";
import { runKeyboard } from "./journeys/keyboard.ts";
import { runWithoutBundle } from "./journeys/without-bundle.ts";
import { visitPages } from "./pages/visit-pages.ts";
import { Report, type Suite } from "./report.ts";
import { buildConsole } from "./stage/build-console.ts";
import { fillInstance } from "./stage/fill-instance.ts";
import { openBrowser } from "./stage/open-browser.ts";
import { type Instance, startInstance } from "./stage/start-instance.ts";

const USAGE = `The console as people use it: in a browser, on instances of its own, at / and at /x/y.

  bin/pnpm e2e
  bin/pnpm e2e --quick --only journey,fallback

  --quick        pages at one width, fewer payloads, neither keyboard nor complaints unless named
  --only SUITES  some of: journey, pages, keyboard, attacks, fallback, budgets, complaints
  --console DIR  a console that is built already; otherwise it is built first
  --json         the last line is the result as one JSON object

Pictures of every page are kept in tests/e2e/artefacts.
`;

const suites: readonly Suite[] = ["journey", "pages", "keyboard", "attacks", "fallback", "budgets", "complaints"];
const QUICK_SUITES: readonly Suite[] = ["journey", "pages", "attacks", "fallback", "budgets"];
const WIDTHS = [360, 768, 1440];
const QUICK_WIDTHS = [1440];
const QUICK_PAYLOADS = 20;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string" },
    console: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const chosen = values.only?.split(",") ?? (values.quick ? QUICK_SUITES : suites);
const isUnderstood = chosen.every((name) => suites.includes(name as Suite));
const isChosen = (suite: Suite) => chosen.includes(suite);

// An exit ends the instances too; without one they would outlive a run that was stopped.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

if (values.help || !isUnderstood) {
  process.stdout.write(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.exitCode = await run();
}

async function run(): Promise<number> {
  const startedAtMs = performance.now();
  clearArtefacts();
  const report = new Report((line) => process.stdout.write(`${line}\n`));
  const scratch = mkdtempSync(join(tmpdir(), "tollgate-e2e-"));
  const consoleFolder = resolve(values.console ?? join(scratch, "console"));
  if (values.console === undefined) buildConsole(consoleFolder);
  const browser = await openBrowser();
  // One after the other: each starts a database, and the machine has two cores.
  const atRoot = await startInstance(join(scratch, "root"), consoleFolder, "");
  const below = await startInstance(join(scratch, "below"), consoleFolder, "/x/y");
  try {
    const found = await runSuites(browser, { atRoot, below, scratch, consoleFolder }, report);
    return tell(report, found, performance.now() - startedAtMs);
  } finally {
    await browser.close();
    await Promise.all([atRoot.stop(), below.stop()]);
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Stage {
  readonly atRoot: Instance;
  readonly below: Instance;
  readonly scratch: string;
  readonly consoleFolder: string;
}

async function runSuites(browser: Browser, stage: Stage, report: Report) {
  const { atRoot, below, scratch, consoleFolder } = stage;
  const filled = await fillInstance(atRoot);
  if (isChosen("journey")) for (const instance of [atRoot, below]) await runFirstMoney(browser, instance, report);
  if (isChosen("fallback")) for (const path of ["", "/x/y"]) await runWithoutBundle(browser, scratch, path, report);
  const sizes = isChosen("budgets") ? await measureBundle(consoleFolder, report) : null;
  const paintMs = isChosen("budgets") ? await measurePages(browser, atRoot, filled, report) : null;
  const widths = values.quick ? QUICK_WIDTHS : WIDTHS;
  const visited = isChosen("pages") ? await visitPages(browser, atRoot, filled, widths, report) : null;
  if (isChosen("keyboard")) await runKeyboard(browser, atRoot, report);
  if (isChosen("complaints")) await runComplaints({ browser, instance: atRoot, filled, consoleFolder }, report);
  const planted = isChosen("attacks")
    ? await runAttacks(browser, below, values.quick ? QUICK_PAYLOADS : payloads.length, report)
    : null;
  return { visited, sizes, paintMs, planted };
}

function tell(report: Report, found: Awaited<ReturnType<typeof runSuites>>, tookMs: number): number {
  const { passed, failed } = report;
  process.stdout.write(`\n  ${failed} failed · ${passed} passed · ${(tookMs / 1_000).toFixed(0)} s\n`);
  if (values.json) {
    const { pages = 0, axeSerious = 0, screenshots = 0 } = found.visited ?? {};
    const result = { passed, failed, pages, axeSerious, screenshots, suites: report.suites };
    const figures = { bundle: found.sizes, paintMs: found.paintMs, planted: found.planted };
    process.stdout.write(`${JSON.stringify({ ...result, ...figures })}\n`);
  }
  return failed === 0 ? 0 : 1;
}
