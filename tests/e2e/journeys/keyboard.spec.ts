import type { Report } from "@tollgate/testkit/report.ts";
import type { Browser, Page } from "playwright-core";
import { keepPicture } from "../artifacts.ts";
import { type OpenConsole, openConsole } from "../stage/open-console.ts";
import type { Instance } from "../stage/start-instance.ts";

/** Maximum number of Tab presses to reach a control on any page. */
const TAB_LIMIT = 90;

/** Completes three tasks without a mouse: creates a key, reads the logs, and makes a purchase. */
export async function runKeyboard(browser: Browser, instance: Instance, report: Report): Promise<void> {
  const opened = await openConsole(browser, instance);
  const errands: readonly (readonly [name: string, run: () => Promise<void>])[] = [
    ["signs in", () => signIn(opened, instance)],
    ["makes a key", () => makeKey(opened)],
    ["looks through the logs with j, k, enter and escape", () => triage(opened)],
    ["buys credit", () => buy(opened)],
  ];
  for (const [name, run] of errands) {
    const isDone = await report.check("keyboard", `${name} by keyboard alone`, run);
    if (!isDone) await keepPicture(opened.page, `failed-keyboard-${name}`);
  }
  await opened.close();
}

async function signIn({ page, open, settle }: OpenConsole, { admin }: Instance): Promise<void> {
  await open("/login");
  await tabTo(page, /^Email$/);
  await page.keyboard.type(admin.email);
  await tabTo(page, /^Password$/);
  await page.keyboard.type(admin.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/ui\/$/);
  await settle();
}

async function makeKey({ page, settle }: OpenConsole): Promise<void> {
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
  await dialog.waitFor();
  await tabTo(page, /^I have stored the secret$/);
  await page.keyboard.press("Space");
  await tabTo(page, /^Done$/);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("table", { name: "API keys" }).getByText("Made without a mouse").waitFor();
}

async function triage({ page, settle }: OpenConsole): Promise<void> {
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.waitForURL(/\/ui\/logs/);
  await settle();
  await tabUntil(page, "a row", `document.activeElement.closest("[data-row]") === document.activeElement`);
  const first = await focusedRow(page);
  await page.keyboard.press("j");
  const second = await focusedRow(page);
  if (second === first || second === null) throw new Error("j does not go to the next row");
  await page.keyboard.press("k");
  if ((await focusedRow(page)) !== first) throw new Error("k does not go back");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("open") === first);
  await settle();
  await page.keyboard.press("j");
  await page.waitForURL((url) => url.searchParams.get("open") === second);
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => url.searchParams.get("open") === null);
  if ((await focusedRow(page)) === null) throw new Error("the focus is not back in the list");
}

async function buy({ page, settle }: OpenConsole): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
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
  await page.getByText("$20.00 credited.").waitFor();
}

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
  if (!(await page.evaluate(isDrawn))) throw new Error(`the focus on ${name} cannot be seen`);
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
