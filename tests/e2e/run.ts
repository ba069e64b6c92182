import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Report } from "@tollgate/testkit/report.ts";
import type { Browser } from "playwright-core";
import { clearArtifacts } from "./artifacts.ts";
import { payloads } from "./attacks/payloads.ts";
import { runAttacks } from "./attacks/attacks.spec.ts";
import { measureBundle } from "./budgets/measure-bundle.spec.ts";
import { measurePages } from "./budgets/measure-pages.spec.ts";
import { runComplaints } from "./complaints/run-complaints.ts";
import { runFirstMoney } from "./journeys/first-money.spec.ts";
import { runKeyboard } from "./journeys/keyboard.spec.ts";
import { runWithoutBundle } from "./journeys/without-bundle.spec.ts";
import { readDocs } from "./pages/read-docs.spec.ts";
import { type Views, visitPages } from "./pages/visit-pages.spec.ts";
import { buildConsole } from "./stage/build-console.ts";
import { fillInstance } from "./stage/fill-instance.ts";
import { isBrowserGone, openBrowser } from "./stage/open-browser.ts";
import { type Instance, startInstance } from "./stage/start-instance.ts";

const USAGE = `Test the console in a browser, as users do, on separate instances at / and at /x/y.

  bin/pnpm e2e
  bin/pnpm e2e --quick --only journey,fallback

  --quick        pages at one width in one theme, fewer payloads, and no keyboard or complaints unless named
  --only SUITES  some of: journey, pages, keyboard, attacks, fallback, budgets, complaints, docs
  --console DIR  use a console that is already built; otherwise it is built first
  --json         print the result as one JSON object on the last line

Screenshots of every page are saved in tests/e2e/artifacts.
`;

type Suite = "journey" | "pages" | "keyboard" | "attacks" | "fallback" | "budgets" | "complaints" | "docs";

const suites: readonly Suite[] = [
  "journey",
  "pages",
  "keyboard",
  "attacks",
  "fallback",
  "budgets",
  "complaints",
  "docs",
];
const QUICK_SUITES: readonly Suite[] = ["journey", "pages", "attacks", "fallback", "budgets", "docs"];
const VIEWS: Views = { widths: [360, 768, 1440], themes: ["light", "dark"] };
const QUICK_VIEWS: Views = { widths: [1440], themes: ["light"] };
const QUICK_PAYLOADS = 20;
/** Time limits for a page's first paint, and for a finished call to appear in a live list. */
const LIMITS_MS = { paint: 1_000, live: 2_000 };
/** The limits are generous, because the machine has just run every other suite. They only catch extreme times. */
const QUICK_LIMITS_MS = { paint: 10_000, live: 20_000 };

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

// Exit explicitly, because exit handlers stop the instances. Otherwise, the instances would outlive an interrupted run.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

if (values.help || !isUnderstood) {
  process.stdout.write(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.exitCode = await run();
}

async function run(): Promise<number> {
  clearArtifacts();
  const report = new Report<Suite>({ isFatal: isBrowserGone });
  const scratch = mkdtempSync(join(tmpdir(), "tollgate-e2e-"));
  const consoleFolder = resolve(values.console ?? join(scratch, "console"));
  if (values.console === undefined) buildConsole(consoleFolder);
  // Start the instances one at a time, because each starts a database and the machine has two cores.
  const atRoot = await startInstance(join(scratch, "root"), consoleFolder, "");
  const below = await startInstance(join(scratch, "below"), consoleFolder, "/x/y");
  try {
    const found = await runSuites({ atRoot, below, scratch, consoleFolder }, report);
    return tell(report, found);
  } finally {
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

async function runSuites(stage: Stage, report: Report) {
  const { atRoot, below, scratch, consoleFolder } = stage;
  const filled = await fillInstance(atRoot);
  const views = values.quick ? QUICK_VIEWS : VIEWS;
  const limitsMs = values.quick ? QUICK_LIMITS_MS : LIMITS_MS;
  const payloadCount = values.quick ? QUICK_PAYLOADS : payloads.length;
  const inBrowser = <Found>(suite: Suite, runSuite: (browser: Browser) => Promise<Found>) =>
    isChosen(suite) ? runInBrowser(suite, report, runSuite) : null;
  await inBrowser("journey", async (browser) => {
    for (const instance of [atRoot, below]) await runFirstMoney(browser, instance, report, limitsMs.live);
  });
  await inBrowser("fallback", async (browser) => {
    for (const path of values.quick ? ["/x/y"] : ["", "/x/y"]) {
      await runWithoutBundle(browser, scratch, path, report);
    }
  });
  const sizes = isChosen("budgets") ? await measureBundle(consoleFolder, report) : null;
  const paintMs = await inBrowser("budgets", (browser) =>
    measurePages(browser, atRoot, filled, limitsMs.paint, report),
  );
  const visited = await inBrowser("pages", (browser) => visitPages(browser, atRoot, filled, views, report));
  await inBrowser("docs", (browser) => readDocs(browser, below, views, report));
  await inBrowser("keyboard", (browser) => runKeyboard(browser, atRoot, report));
  await inBrowser("complaints", (browser) =>
    runComplaints({ browser, instance: atRoot, filled, consoleFolder }, report),
  );
  const planted = await inBrowser("attacks", (browser) => runAttacks(browser, below, payloadCount, report));
  return { visited, sizes, paintMs, planted };
}

/**
 * Runs one suite in its own browser. A browser crash is not the console's fault, so the suite then runs again in a new
 * browser. If one of our pages causes the crash, the second browser crashes too.
 */
async function runInBrowser<Found>(
  suite: Suite,
  report: Report,
  runSuite: (browser: Browser) => Promise<Found>,
): Promise<Found | null> {
  for (let attempt = 1; ; attempt += 1) {
    const browser = await openBrowser();
    try {
      return await runSuite(browser);
    } catch (error) {
      const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
      if (attempt > 1 || !isBrowserGone(error)) {
        report.record(suite, "was not run to its end", problem);
        return null;
      }
      report.note(`${suite}: the browser went, so once more with another (${problem.split("\n")[0]})`);
    } finally {
      await browser.close();
    }
  }
}

function tell(report: Report, found: Awaited<ReturnType<typeof runSuites>>): number {
  const { passed, failed, suites: perSuite } = report;
  const { pages = 0, axeSerious = 0, screenshots = 0 } = found.visited ?? {};
  const result = { passed, failed, pages, axeSerious, screenshots, suites: perSuite };
  const figures = { bundle: found.sizes, paintMs: found.paintMs, planted: found.planted };
  return report.close(values.json ? { ...result, ...figures } : null);
}
