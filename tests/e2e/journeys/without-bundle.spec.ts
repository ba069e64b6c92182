import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "@tollgate/testkit/report.ts";
import type { Browser } from "playwright-core";
import { textOf } from "../stage/open-console.ts";
import { type Instance, startInstance } from "../stage/start-instance.ts";

/** Checks an instance whose console files were deleted: users can still sign in, and API clients are unaffected. */
export async function runWithoutBundle(
  browser: Browser,
  scratch: string,
  rootPath: string,
  report: Report,
): Promise<void> {
  const folder = join(scratch, `bare${rootPath.replaceAll("/", "-")}`);
  const empty = join(folder, "no-console");
  mkdirSync(empty, { recursive: true });
  const instance = await startInstance(folder, empty, rootPath);
  try {
    await check(browser, instance, report);
  } finally {
    await instance.stop();
  }
}

async function check(browser: Browser, instance: Instance, report: Report): Promise<void> {
  const place = `${instance.rootPath}/`;
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await report.check("fallback", `${place} /ui without its bundle is a page to read`, async () => {
    const answer = await page.goto(`${instance.uiUrl}/`);
    if (answer?.status() !== 503) throw new Error(`answered ${answer?.status()}`);
    const text = await textOf(page.locator("body"));
    if (!/console/i.test(text)) throw new Error(`it says: ${text}`);
    await page
      .getByRole("link", { name: /sign in/i })
      .first()
      .waitFor();
  });
  await report.check("fallback", `${place} /fallback/login signs in without scripts`, async () => {
    await page.goto(`${instance.url}/fallback/login`);
    await page.locator("input[name=username]").fill(instance.admin.email);
    await page.locator("input[name=password]").fill(instance.admin.password);
    await page.locator("button[type=submit]").click();
    await page.waitForURL(`${instance.uiUrl}/`);
    const me = await context.request.get(`${instance.url}/api/auth/me`);
    if (me.status() !== 200) throw new Error(`the API answers ${me.status()} to the cookie`);
  });
  await report.check("fallback", `${place} the API answers without the console`, async () => {
    const platform = await instance.signIn(instance.admin);
    await platform.call("listApiKeys");
    const answer = await fetch(`${instance.url}/v1/models`, { headers: { "x-gw-api-key": instance.apiKey } });
    if (answer.status !== 200) throw new Error(`models: ${answer.status}`);
  });
  await context.close();
}
