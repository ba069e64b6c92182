import { expect, type Page } from "@playwright/test";
import { test } from "../stage/console-test.ts";

/** Maximum number of Tab presses to reach a control on any page. */
const TAB_LIMIT = 90;

// Completes four tasks without a mouse.

test("signs in by keyboard alone", async ({ newConsole, instance: { admin } }) => {
  const { page, open, settle } = await newConsole();
  await open("/login");
  await tabTo(page, /^Email$/);
  await page.keyboard.type(admin.email);
  await tabTo(page, /^Password$/);
  await page.keyboard.type(admin.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/ui\/$/);
  await settle();
});

test("makes a key by keyboard alone", async ({ admin: { page, open, settle } }) => {
  await open("/");
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await page.waitForURL(/\/ui\/keys/);
  await settle();
  await page.keyboard.press("c");
  await page.waitForURL(/create=1/);
  await settle();
  // The form opens with its first field focused.
  await page.keyboard.type("Made without a mouse");
  await tabTo(page, /^Create key$/);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Key Made without a mouse is ready" });
  await expect(dialog).toBeVisible();
  await tabTo(page, /^I have stored the secret$/);
  await page.keyboard.press("Space");
  await tabTo(page, /^Done$/);
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("table", { name: "API keys" }).getByText("Made without a mouse")).toBeVisible();
});

test("looks through the logs with j, k, enter and escape by keyboard alone", async ({ admin, filled }) => {
  const { page, open, settle } = admin;
  await open("/");
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.waitForURL(/\/ui\/logs/);
  await settle();
  await expect(page.locator(`[data-row="${filled.callId}"]`)).toBeVisible();
  await tabUntil(page, "a row", `document.activeElement.closest("[data-row]") === document.activeElement`);
  const first = await focusedRow(page);
  await page.keyboard.press("j");
  const second = await focusedRow(page);
  expect(second, "j goes to the next row").not.toBeNull();
  expect(second, "j goes to the next row").not.toBe(first);
  await page.keyboard.press("k");
  expect(await focusedRow(page), "k goes back").toBe(first);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("open") === first);
  await settle();
  await page.keyboard.press("j");
  await page.waitForURL((url) => url.searchParams.get("open") === second);
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => url.searchParams.get("open") === null);
  expect(await focusedRow(page), "the focus is back in the list").not.toBeNull();
});

test("buys credit by keyboard alone", async ({ admin: { page, open, settle } }) => {
  await open("/");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.type("Credits");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/ui\/credits/);
  await settle();
  await tabTo(page, /^\$20$/);
  await page.keyboard.press("Space");
  await tabTo(page, /^Pay \$20\.00$/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/ui\/checkout\//);
  await settle();
  await tabTo(page, /^Pay$/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/ui\/credits\?order=/);
  await expect(page.getByText("$20.00 credited.")).toBeVisible();
});

const FOCUSED_NAME = `(() => {
  const it = document.activeElement;
  const labels = it.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id)?.textContent).join(" ");
  return (it.getAttribute("aria-label") ?? labels ?? it.labels?.[0]?.textContent ?? it.textContent ?? "").trim();
})()`;

/** Presses Tab until the element with this name has focus, and checks that the focus is visible. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  await tabUntil(page, String(name), `${name}.test(${FOCUSED_NAME})`);
  // Some controls draw the focus indicator on their container.
  const isDrawn = `[document.activeElement, document.activeElement.parentElement].some((it) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(it);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  })`;
  expect(await page.evaluate(isDrawn), `the focus on ${name} is visible`).toBe(true);
}

async function tabUntil(page: Page, what: string, isThere: string): Promise<void> {
  for (let presses = 0; presses < TAB_LIMIT; presses += 1) {
    if (await page.evaluate(isThere)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${TAB_LIMIT} times Tab do not lead to ${what}`);
}

async function focusedRow(page: Page): Promise<string | null> {
  return (await page.evaluate(`document.activeElement.closest("[data-row]")?.dataset.row ?? null`)) as string | null;
}
