import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { consolePages } from "./pages/console-pages.ts";
import { buildConsole } from "./stage/build-console.ts";
import { openBrowser } from "./stage/open-browser.ts";
import { openConsoleAs } from "./stage/open-console.ts";
import { startInstance } from "./stage/start-instance.ts";

// Takes the screenshots for the README and the documentation from the demo, as `tollgate dev --demo` shows it.

const VIEW = { width: 1440, height: 900 };
/**
 * Pages that are captured in both themes, because the README follows the reader's theme. All other pages are captured
 * in one theme.
 */
const IN_BOTH_THEMES = ["home"];
const IN_LIGHT = ["keys", "logs", "usage", "credits", "models", "health"];

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "docs/assets" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) process.stdout.write("node tests/e2e/take-screenshots.ts [--out DIR]   (otherwise docs/assets)\n");
else await takeScreenshots(resolve(values.out));

async function takeScreenshots(out: string): Promise<void> {
  mkdirSync(out, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), "tollgate-screenshots-"));
  buildConsole(join(scratch, "console"));
  const instance = await startInstance(join(scratch, "console"), "", { isDemo: true, settings: "" });
  const browser = await openBrowser();
  try {
    for (const theme of ["light", "dark"] as const) {
      const names = theme === "light" ? [...IN_BOTH_THEMES, ...IN_LIGHT] : IN_BOTH_THEMES;
      const opened = await openConsoleAs(browser, instance, instance.admin, { ...VIEW, theme });
      for (const name of names) {
        const page = consolePages.find((candidate) => candidate.name === name);
        if (typeof page?.path !== "string") throw new Error(`the console has no page '${name}' without a record`);
        await opened.open(page.path);
        const path = join(out, `${name}-${theme}.png`);
        await opened.page.screenshot({ path });
        process.stdout.write(`${path}\n`);
      }
      await opened.close();
    }
  } finally {
    await browser.close();
    await instance.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}
