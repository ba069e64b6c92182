import { readFileSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { chromium } from "playwright-core";
const { uiUrl, admin } = JSON.parse(readFileSync("/tmp/p5-dev.log", "utf8").split("\n")[0]!);
const [pages, extra] = [process.argv.slice(2), process.env.WHO];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const scheme of (process.env.SCHEME ?? "light,dark").split(",") as ("light" | "dark")[]) {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width: 1440, height: 1000 } });
  const page = await context.newPage();
  page.on("console", (m) => { if (["error", "warning"].includes(m.type())) console.log("console", m.text().slice(0, 200)); });
  page.on("pageerror", (error) => console.log("pageerror", error.message));
  await page.goto(`${uiUrl}/login`);
  await page.fill("input[type=email]", extra === "member" ? "member@example.com" : admin.email);
  await page.fill("input[type=password]", extra === "member" ? "longer-Password-1234" : admin.password);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.pathname.includes("login"));
  for (const path of pages) {
    await page.goto(`${uiUrl}${path}`);
    await page.waitForTimeout(1000);
    const { violations } = await new AxeBuilder({ page: page as never }).analyze();
    for (const v of violations) console.log(scheme, path, v.impact, v.id, v.nodes.length, v.nodes[0]?.html.slice(0, 200), v.nodes[0]?.failureSummary?.slice(0, 200));
    await page.screenshot({ path: `/tmp/p5-axe-${extra ?? "admin"}-${scheme}-${pages.indexOf(path)}.png` });
  }
  await context.close();
}
await browser.close();
