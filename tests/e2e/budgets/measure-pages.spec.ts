import type { Report } from "@tollgate/testkit/report.ts";
import type { Browser } from "playwright-core";
import { consolePages } from "../pages/console-pages.ts";
import type { Filled } from "../stage/fill-instance.ts";
import { openConsole, openConsoleAs } from "../stage/open-console.ts";
import type { Instance } from "../stage/start-instance.ts";

const PAINT_TRIES = 5;
/** Waits for the paint event, because a page can be idle before the browser reports its paint time. */
const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName("first-contentful-paint");
    if (paint !== undefined) resolve(paint.startTime);
  }).observe({ type: "paint", buffered: true });
})`;

/** Checks that each list page requests its list once, and that the first contentful paint is fast enough. */
export async function measurePages(
  browser: Browser,
  instance: Instance,
  filled: Filled,
  paintLimitMs: number,
  report: Report,
): Promise<number> {
  const person = await openConsoleAs(browser, instance, instance.admin);
  for (const { name, path, list } of consolePages(filled)) {
    if (list === undefined) continue;
    await report.check("budgets", `${name} asks once for its list`, async () => {
      await person.page.goto("about:blank");
      person.takeCalls();
      await person.open(path);
      const calls = person.takeCalls();
      const asked = calls.filter((call) => call === `GET ${list}`).length;
      if (asked !== 1) throw new Error(`asked ${asked} times: ${calls.join(", ")}`);
    });
  }
  await person.close();
  const paintMs = await measurePaint(browser, instance);
  const problem = paintMs < paintLimitMs ? null : `${paintMs.toFixed(0)} ms is not under ${paintLimitMs} ms`;
  report.record("budgets", `first contentful paint with an empty cache: ${paintMs.toFixed(0)} ms`, problem);
  return paintMs;
}

/** Returns the median first contentful paint of several visits with an empty cache. */
async function measurePaint(browser: Browser, instance: Instance): Promise<number> {
  const times: number[] = [];
  for (let attempt = 0; attempt < PAINT_TRIES; attempt += 1) {
    const { page, open, close } = await openConsole(browser, instance);
    await open("/login");
    times.push((await page.evaluate(FIRST_PAINT)) as number);
    await close();
  }
  return times.sort((one, other) => one - other)[Math.floor(PAINT_TRIES / 2)] ?? Number.POSITIVE_INFINITY;
}
