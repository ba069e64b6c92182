import { defineConfig } from "@playwright/test";
import { isQuick, printsJson } from "./run-options.ts";
import type { SuiteOptions } from "./stage/console-test.ts";
import { launchOptions } from "./stage/open-browser.ts";
import { PATIENCE_MS } from "./stage/open-console.ts";

/** Ends a test that hangs. Each wait inside a test has its own, shorter limit. */
const TEST_LIMIT_MS = 20 * 60_000;
/** After a failure, the rest of the suite gets a new instance, so a run with many failures would take hours. */
const MAX_FAILURES = 10;

/** Projects in the order in which they run. The first word of a name is the suite; the rest is the instance's root path. */
const projects = [
  { name: "journey /", testMatch: "journeys/first-money.spec.ts" },
  { name: "journey /x/y/", testMatch: "journeys/first-money.spec.ts", use: { rootPath: "/x/y" } },
  ...(isQuick ? [] : [{ name: "fallback /", testMatch: "journeys/without-bundle.spec.ts" }]),
  { name: "fallback /x/y/", testMatch: "journeys/without-bundle.spec.ts", use: { rootPath: "/x/y" } },
  { name: "budgets", testMatch: "budgets/*.spec.ts" },
  { name: "pages", testMatch: ["pages/visit-pages.spec.ts", "pages/review-prices.spec.ts"] },
  { name: "docs", testMatch: "pages/read-docs.spec.ts", use: { rootPath: "/x/y" } },
  { name: "keyboard", testMatch: "journeys/keyboard.spec.ts" },
  { name: "complaints", testMatch: "complaints/*.spec.ts" },
  { name: "figures", testMatch: ["figures/figures.spec.ts", "figures/journeys.spec.ts"] },
  { name: "attacks", testMatch: "attacks/attacks.spec.ts", use: { rootPath: "/x/y" } },
];

export default defineConfig<object, SuiteOptions>({
  projects,
  globalSetup: "./stage/prepare-run.ts",
  reporter: [["./stage/suite-reporter.ts", { printsJson }]],
  outputDir: "artifacts",
  // The console, the server, its database, and the browser share two cores.
  workers: 1,
  retries: 0,
  maxFailures: MAX_FAILURES,
  forbidOnly: true,
  timeout: TEST_LIMIT_MS,
  expect: { timeout: PATIENCE_MS },
  use: { launchOptions: launchOptions(), screenshot: { mode: "only-on-failure", fullPage: true } },
});
