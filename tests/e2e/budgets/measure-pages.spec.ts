import { expect } from "@playwright/test";
import { consolePages, pathOf } from "../pages/console-pages.ts";
import { limitsMs } from "../run-options.ts";
import { test } from "../stage/console-test.ts";
import { addFigures, noteFound } from "../stage/figures.ts";

const PAINT_TRIES = 5;
/** Waits for the paint event, because a page can be idle before the browser reports its paint time. */
const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName("first-contentful-paint");
    if (paint !== undefined) resolve(paint.startTime);
  }).observe({ type: "paint", buffered: true });
})`;

for (const consolePage of consolePages) {
  const { name, list } = consolePage;
  if (list === undefined) continue;
  test(`${name} asks once for its list`, async ({ admin, filled }) => {
    await admin.page.goto("about:blank");
    admin.takeCalls();
    await admin.open(pathOf(consolePage, filled));
    const calls = admin.takeCalls();
    const asked = calls.filter((call) => call === `GET ${list}`);
    expect(asked, `of ${calls.join(", ")}`).toHaveLength(1);
  });
}

test("first contentful paint with an empty cache", async ({ newConsole }) => {
  const times: number[] = [];
  for (let attempt = 0; attempt < PAINT_TRIES; attempt += 1) {
    const { page, open, close } = await newConsole();
    await open("/login");
    times.push((await page.evaluate(FIRST_PAINT)) as number);
    await close();
  }
  const paintMs = times.sort((one, other) => one - other)[Math.floor(PAINT_TRIES / 2)] ?? Number.POSITIVE_INFINITY;
  addFigures({ paintMs });
  noteFound(`${paintMs.toFixed(0)} ms`);
  expect(paintMs).toBeLessThan(limitsMs.paint);
});
