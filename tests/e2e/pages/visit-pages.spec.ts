import AxeBuilder from "@axe-core/playwright";
import type { Report } from "@tollgate/testkit/report.ts";
import type { Browser, Page } from "playwright-core";
import { keepPicture } from "../artifacts.ts";
import type { Filled } from "../stage/fill-instance.ts";
import { type OpenConsole, openConsole, openConsoleAs, type Theme } from "../stage/open-console.ts";
import type { Instance } from "../stage/start-instance.ts";
import { type ConsolePage, consolePages } from "./console-pages.ts";

const HEIGHT = 900;
/** Maximum height of a screenshot. */
const LONGEST = 5_000;
/** One browser per core. */
const BROWSERS = 2;

/** Widths and themes to visit each page in. */
export interface Views {
  readonly widths: readonly number[];
  readonly themes: readonly Theme[];
}

export interface VisitSummary {
  /** Number of distinct pages. */
  readonly pages: number;
  readonly screenshots: number;
  /** Number of serious and critical axe findings. */
  readonly axeSerious: number;
}

/** Opens every page at each width in each theme, takes a screenshot, and checks for problems. */
export async function visitPages(
  browser: Browser,
  instance: Instance,
  filled: Filled,
  { widths, themes }: Views,
  report: Report,
): Promise<VisitSummary> {
  const pages = consolePages(filled);
  const found = { axeSerious: 0, screenshots: 0 };
  for (const width of widths) {
    const waiting = [...pages];
    const visitAll = async () => {
      const stranger = await openConsole(browser, instance, { width, height: HEIGHT });
      const person = await openConsoleAs(browser, instance, instance.admin, { width, height: HEIGHT });
      for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
        const serious = await visit(page.isPublic === true ? stranger : person, page, { width, themes }, report);
        found.axeSerious += serious;
        found.screenshots += themes.length;
      }
      await stranger.close();
      await person.close();
    };
    await Promise.all(Array.from({ length: BROWSERS }, visitAll));
  }
  return { pages: pages.length, ...found };
}

/** Visits one page in each theme. Returns the number of serious axe findings. */
async function visit(
  opened: OpenConsole,
  { name, path }: ConsolePage,
  view: { readonly width: number; readonly themes: readonly Theme[] },
  report: Report,
): Promise<number> {
  const { page } = opened;
  const { width, themes } = view;
  let serious = 0;
  await report.check("pages", `${name} at ${width}`, async () => {
    // Open another page first, because a URL that differs only in its fragment does not reload.
    await page.goto("about:blank");
    opened.takeProblems();
    await opened.open(path);
    const problems = [...(await findOverflow(page))];
    await page.setViewportSize({ width, height: await wholeHeight(page) });
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await keepPicture(page, `${name}-${width}-${theme}`);
      const findings = await findSerious(page, theme);
      serious += findings.length;
      problems.push(...findings);
    }
    problems.push(...opened.takeProblems());
    if (problems.length > 0) throw new Error(problems.join("\n"));
  });
  await page.setViewportSize({ width, height: HEIGHT });
  return serious;
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
