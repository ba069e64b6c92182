import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { keepPicture } from "../artifacts.ts";
import { views } from "../run-options.ts";
import { test } from "../stage/console-test.ts";
import { addFigures } from "../stage/figures.ts";
import type { Theme } from "../stage/open-console.ts";
import { consolePages, pathOf } from "./console-pages.ts";

const HEIGHT = 900;
/** Maximum height of a screenshot. */
const LONGEST = 5_000;

// Opens every page at each width in each theme, takes a screenshot, and checks for problems.
for (const width of views.widths) {
  for (const consolePage of consolePages) {
    test(`${consolePage.name} at ${width}`, async ({ admin, stranger, filled }) => {
      const opened = consolePage.isPublic === true ? stranger : admin;
      const { page } = opened;
      // Open another page first, because a URL that differs only in its fragment does not reload.
      await page.goto("about:blank");
      opened.takeProblems();
      await page.setViewportSize({ width, height: HEIGHT });
      await opened.open(pathOf(consolePage, filled));
      const overflow = await findOverflow(page);
      await page.setViewportSize({ width, height: await wholeHeight(page) });
      const serious: string[] = [];
      for (const theme of views.themes) {
        await page.emulateMedia({ colorScheme: theme });
        await keepPicture(page, `${consolePage.name}-${width}-${theme}`);
        serious.push(...(await findSerious(page, theme)));
      }
      addFigures({ page: consolePage.name, screenshots: views.themes.length, axeSerious: serious.length });
      expect([...overflow, ...serious, ...opened.takeProblems()]).toEqual([]);
    });
  }
}

/** Returns the window height needed to show the whole page, because the content scrolls in its own container. */
async function wholeHeight(page: Page): Promise<number> {
  const hidden = (await page.evaluate(`(() => {
    const it = document.getElementById("content") ?? document.documentElement;
    return it.scrollHeight - it.clientHeight;
  })()`)) as number;
  return Math.min(HEIGHT + hidden, LONGEST);
}

/**
 * Returns the axe findings that prevent users from using the page. In the dark theme, checks only the color contrast,
 * because themes differ only in colors.
 */
async function findSerious(page: Page, theme: Theme): Promise<readonly string[]> {
  // Skip frames. Our pages have none, and checking for frames takes twice as long.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await (theme === "light" ? axe : axe.withRules(["color-contrast"])).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => {
      const where = nodes.slice(0, 3).map(({ html }) => html.slice(0, 200));
      return `axe, ${theme}, ${id}: ${help}: ${where.join(" | ")}`;
    });
}

/** Reports a page that scrolls sideways, and the elements that cause it. */
async function findOverflow(page: Page): Promise<readonly string[]> {
  const widest = (await page.evaluate(`(() => {
    const frames = [document.documentElement, document.getElementById("content")];
    const frame = frames.find((it) => it !== null && it.scrollWidth > it.clientWidth);
    if (frame === undefined) return null;
    const edge = frame.getBoundingClientRect().left + frame.clientWidth;
    const beyond = [...frame.querySelectorAll("*")].filter((it) => it.getBoundingClientRect().right > edge + 1);
    return frame.scrollWidth + " px of " + frame.clientWidth + ": " + (beyond[0]?.outerHTML.slice(0, 200) ?? "");
  })()`)) as string | null;
  return widest === null ? [] : [`scrolls sideways, ${widest}`];
}
