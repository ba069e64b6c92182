import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { buildSite } from "../../../apps/docs/src/build-site.ts";
import { views } from "../run-options.ts";
import { test } from "../stage/console-test.ts";
import type { Instance } from "../stage/start-instance.ts";

const root = join(import.meta.dirname, "../../..");
const HEIGHT = 900;
/** Documentation pages of each kind: prose, code, wide tables, a generated page, and a list. */
const paths = ["", "guides/routing.html", "config/environment.html", "errors/codes/QUOTA_EXCEEDED.html", "guides/"];

// Opens and searches documentation pages that an instance serves, as a reader without internet access would.

let problems: readonly string[];

test.beforeAll(() => buildSite(root, join(root, "apps/docs/dist")));
test.beforeEach(({ page, instance }) => {
  problems = listen(page, instance);
});
test.afterEach(() => expect(problems).toEqual([]));

for (const width of views.widths) {
  for (const colorScheme of views.themes) {
    test.describe(() => {
      test.use({ colorScheme, viewport: { width, height: HEIGHT } });

      for (const path of paths) {
        test(`/${path} at ${width}, ${colorScheme}`, async ({ page, instance }) => {
          await page.goto(`${instance.url}/docs/${path}`);
          expect(await findFaults(page)).toEqual([]);
        });
      }

      test(`search at ${width}, ${colorScheme}`, async ({ page, instance }) => {
        await page.goto(`${instance.url}/docs/guides/`);
        await page.keyboard.press("/");
        await page.keyboard.type("invalid_api_key");
        await expect(page.locator("#found a").first()).toBeVisible();
        await page.keyboard.press("Enter");
        await page.waitForURL(/errors\/codes\/invalid_api_key\.html/);
      });
    });
  }
}

/** Records everything that a page for offline readers must not do. */
function listen(page: Page, { url }: Instance): string[] {
  const problems: string[] = [];
  const { origin } = new URL(url);
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => new URL(request.url()).origin !== origin && problems.push(`asked ${request.url()}`));
  return problems;
}

async function findFaults(page: Page): Promise<readonly string[]> {
  const width = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"])
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(" ")}`);
  return Number(width) > 0 ? [...found, `it scrolls sideways by ${String(width)}`] : found;
}
