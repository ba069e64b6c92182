import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CONSOLE_FOLDER, JSON_LINE, QUICK } from "./run-options.ts";

const USAGE = `Test the console in a browser, as users do, on separate instances at / and at /x/y.

  bin/pnpm e2e
  bin/pnpm e2e --quick --only journey,fallback

  --quick        pages at one width in one theme, fewer payloads, and no keyboard, complaints, or figures unless named
  --only SUITES  some of: journey, fallback, budgets, pages, docs, keyboard, complaints, figures, attacks
  --console DIR  use a console that is already built; otherwise it is built first
  --json         print the result as one JSON object on the last line

Screenshots of every page, and the screenshot and instance log of each failed test, are saved in tests/e2e/artifacts.
The tests run with Playwright Test, which has more options, for example to run one test with a trace:

  tests/e2e/node_modules/.bin/playwright test --config tests/e2e --project pages --grep "keys at 360" --trace on
`;

const suites = ["journey", "fallback", "budgets", "pages", "docs", "keyboard", "complaints", "figures", "attacks"];
const QUICK_SUITES = ["journey", "fallback", "budgets", "pages", "docs", "attacks"];
const playwright = join(import.meta.dirname, "node_modules/.bin/playwright");

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
const isUnderstood = chosen.every((name) => suites.includes(name));

if (values.help || !isUnderstood) {
  process.stdout.write(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  process.exitCode = await runPlaywright();
}

/** Runs the projects of the chosen suites. Returns the exit code. */
function runPlaywright(): Promise<number> {
  const projects = chosen.flatMap((suite) => ["--project", `${suite}*`]);
  const env = {
    ...process.env,
    ...(values.quick && { [QUICK]: "1" }),
    ...(values.json && { [JSON_LINE]: "1" }),
    ...(values.console !== undefined && { [CONSOLE_FOLDER]: resolve(values.console) }),
  };
  const args = ["test", "--config", import.meta.dirname, ...projects];
  const child = spawn(playwright, args, { env, stdio: "inherit" });
  // Playwright stops the instances on SIGINT only. Otherwise, they would outlive an interrupted run.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill("SIGINT"));
  return new Promise((settle, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => settle(code ?? 130));
  });
}
