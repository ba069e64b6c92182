import { expect } from "@playwright/test";
import { test } from "../stage/console-test.ts";

// An instance whose console files were deleted: users can still sign in, and API clients are unaffected.

test.use({ hasConsole: false, javaScriptEnabled: false });

test("/ui without its bundle is a page to read", async ({ page, instance }) => {
  const answer = await page.goto(`${instance.uiUrl}/`);
  expect(answer?.status()).toBe(503);
  await expect(page.locator("body")).toHaveText(/console/i);
  await expect(page.getByRole("link", { name: /sign in/i }).first()).toBeVisible();
});

test("/fallback/login signs in without scripts", async ({ page, instance }) => {
  await page.goto(`${instance.url}/fallback/login`);
  await page.locator("input[name=username]").fill(instance.admin.email);
  await page.locator("input[name=password]").fill(instance.admin.password);
  await page.locator("button[type=submit]").click();
  await page.waitForURL(`${instance.uiUrl}/`);
  const me = await page.request.get(`${instance.url}/api/auth/me`);
  expect(me.status(), "the API accepts the cookie").toBe(200);
});

test("the API answers without the console", async ({ instance }) => {
  const platform = await instance.signIn(instance.admin);
  await platform.call("listApiKeys");
  const answer = await fetch(`${instance.url}/v1/models`, { headers: { "x-gw-api-key": instance.apiKey } });
  expect(answer.status).toBe(200);
});
