import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { test } from "../stage/console-test.ts";

const PAYWALLS =
  /upgrade your plan|enterprise (?:only|feature|plan|licen[cs]e)|premium feature|contact sales|start free trial/i;

// Complaints about signing in and about access.

test("C10 signing in returns users to the page they requested, and never to another site", async ({
  newConsole,
  instance,
}) => {
  const opened = await newConsole({ person: instance.admin });
  await opened.context.clearCookies();
  await opened.open("/logs?class=failed");
  const { page } = opened;
  expect(new URL(page.url()).pathname).toMatch(/\/ui\/login$/);
  await page.getByLabel("Email", { exact: true }).fill(instance.admin.email);
  await page.getByLabel("Password", { exact: true }).fill(instance.admin.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/\/ui\/logs\?class=failed$/);
});

test("C14 no console feature requires a payment", ({ consoleFolder }) => {
  const assets = join(consoleFolder, "assets");
  const scripts = readdirSync(assets).filter((file) => file.endsWith(".js"));
  expect(scripts).not.toHaveLength(0);
  for (const name of scripts) {
    const found = PAYWALLS.exec(readFileSync(join(assets, name), "utf8"));
    expect(found?.[0], name).toBeUndefined();
  }
});

test("C18 if a console file fails to load, the page shows a message instead of staying blank", async ({
  newConsole,
  instance,
}) => {
  const opened = await newConsole({ person: instance.admin });
  await opened.page.route(/\/assets\/usage-page-/, (route) => route.fulfill({ status: 404, body: "" }));
  await opened.page.goto(`${instance.uiUrl}/usage`);
  await expect(opened.page.getByRole("button", { name: "Reload" })).toBeVisible();
});

test("C19 no token or secret is stored where a script can read it", async ({ admin }) => {
  await admin.open("/keys");
  const stored = (await admin.page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
  )) as string;
  expect(stored).not.toMatch(/sk-|token|eyJ|session/i);
  const cookies = await admin.context.cookies();
  expect(cookies).not.toHaveLength(0);
  expect(cookies.filter(({ httpOnly, sameSite }) => !httpOnly || sameSite === "None")).toEqual([]);
});
