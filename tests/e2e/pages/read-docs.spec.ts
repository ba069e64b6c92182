import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import type { Report } from "@tollgate/testkit/report.ts";
import type { Browser, Page } from "playwright-core";
import { buildSite } from "../../../apps/docs/src/build-site.ts";
import type { Instance } from "../stage/start-instance.ts";
import type { Views } from "./visit-pages.spec.ts";

const root = join(import.meta.dirname, "../../..");
const HEIGHT = 900;
/** Documentation pages of each kind: prose, code, wide tables, a generated page, and a list. */
const pages = ["", "guides/routing.html", "config/environment.html", "errors/codes/QUOTA_EXCEEDED.html", "guides/"];

/** Opens and searches documentation pages that an instance serves, as a reader without internet access would. */
export async function readDocs(browser: Browser, instance: Instance, views: Views, report: Report): Promise<void> {
  buildSite(root, join(root, "apps/docs/dist"));
  for (const width of views.widths) {
    for (const colorScheme of views.themes) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: HEIGHT } });
      const page = await context.newPage();
      const problems = listen(page, instance);
      for (const path of pages) {
        await report.check("docs", `/${path} at ${width}, ${colorScheme}`, async () => {
          await page.goto(`${instance.url}/docs/${path}`);
          fail([...problems.splice(0), ...(await findFaults(page))]);
        });
      }
      await report.check("docs", `search at ${width}, ${colorScheme}`, () => search(page, problems));
      await context.close();
    }
  }
}

async function search(page: Page, problems: string[]): Promise<void> {
  await page.keyboard.press("/");
  await page.keyboard.type("invalid_api_key");
  await page.waitForSelector("#found a");
  await page.keyboard.press("Enter");
  await page.waitForURL(/errors\/codes\/invalid_api_key\.html/);
  fail(problems.splice(0));
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

function fail(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join("\n"));
}
