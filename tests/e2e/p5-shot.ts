import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
const { uiUrl, admin } = JSON.parse(readFileSync("/tmp/p5-dev.log", "utf8").split("\n")[0]!);
const [scheme = "light", widths = "1440", ...pages] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const context = await browser.newContext({ colorScheme: scheme as "light", viewport: { width: 1440, height: 1000 } });
const page = await context.newPage();
page.on("console", (message) => { if (["error", "warning"].includes(message.type())) console.log("console", message.text().slice(0, 300)); });
page.on("pageerror", (error) => console.log("pageerror", error.message));
await page.goto(`${uiUrl}/login`);
await page.fill("input[type=email]", admin.email);
await page.fill("input[type=password]", admin.password);
await page.keyboard.press("Enter");
await page.waitForURL((url) => !url.pathname.includes("login"));
for (const entry of pages) {
  const [name, path] = entry.split("=", 2) as [string, string];
  for (const width of widths.split(",").map(Number)) {
    await page.setViewportSize({ width, height: Number(process.env.H ?? 1000) });
    await page.goto(`${uiUrl}${entry.slice(name.length + 1)}`);
    await page.waitForTimeout(1200);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) console.log(name, width, "scrolls sideways by", over);
    await page.screenshot({ path: `/tmp/p5-${name}-${width}-${scheme}.png`, fullPage: process.env.FULL === "1" });
  }
}
await browser.close();
