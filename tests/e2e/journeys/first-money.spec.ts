import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { limitsMs } from "../run-options.ts";
import { test } from "../stage/console-test.ts";
import { type OpenConsole, openConsole, textOf } from "../stage/open-console.ts";
import { runInShell } from "../stage/run-in-shell.ts";
import type { Instance, Person } from "../stage/start-instance.ts";

// Goes from an empty account to a paid call, a refusal, and another paid call, using only the console as a user would.

/** Model group with a price. The simulated models are free. */
const PRICED_MODEL = "support-chat";
const KEY_NAME = "First key";

// Each step continues where the previous one ended.
test.describe.configure({ mode: "serial" });

const person = { email: `${randomUUID()}@example.com`, password: randomUUID() };
let opened: OpenConsole;
let curl = "";

test.beforeAll(async ({ browser, instance }) => {
  opened = await openConsole(browser, instance);
});
test.afterEach(() => expect(opened.takeProblems()).toEqual([]));
test.afterAll(() => opened.close());

test("signs up and lands on Home", () => signUp(opened, person));

test("buys credit and sees the order credited", () => buyCredit(opened, "20"));

test("makes a key whose secret is shown once", async () => {
  curl = await makeKey(opened);
});

test(`runs the copied command and sees the call within ${limitsMs.live / 1_000} s`, async () => {
  await watchCall(opened, curl, limitsMs.live);
});

test("sees the cost that the ledger has", ({ instance }) => compareWithLedger(opened, instance, person));

test("is refused without credit, with a reason", ({ instance }) => meetBlock(opened, instance, person, curl));

test("buys credit and calls again", () => buyOut(opened, curl));

async function signUp(opened: OpenConsole, { email, password }: Person): Promise<void> {
  const { page } = opened;
  await opened.open("/signup");
  await page.getByLabel("Name", { exact: true }).fill("Ada Marlowe");
  await page.getByLabel("Email", { exact: true }).fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(/\/ui\/$/);
  await expect(page.getByRole("heading", { name: "Home", level: 1 })).toBeVisible();
}

async function buyCredit(opened: OpenConsole, dollars: string): Promise<void> {
  const { page } = opened;
  await opened.open("/credits");
  await page.getByRole("button", { name: `$${dollars}`, exact: true }).click();
  await page.getByRole("button", { name: `Pay $${dollars}.00` }).click();
  await page.waitForURL(/\/ui\/checkout\//);
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  await page.waitForURL(/\/ui\/credits\?order=/);
  const timeline = page.getByRole("list", { name: "Order timeline" });
  await expect(timeline.getByText("Credited", { exact: false }).first()).toBeVisible();
  await expect(page.getByText(`$${dollars}.00 credited.`)).toBeVisible();
}

async function makeKey(opened: OpenConsole): Promise<string> {
  const { page } = opened;
  await opened.open("/keys?create=1");
  await page.getByLabel("Name", { exact: true }).fill(KEY_NAME);
  await page.locator("button[type=submit]", { hasText: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: `Key ${KEY_NAME} is ready` });
  const secret = await textOf(dialog.getByText(/^sk-/).first());
  await dialog.getByRole("combobox", { name: "Test model" }).click();
  await page.getByRole("option", { name: PRICED_MODEL }).click();
  // Users press Escape out of habit, but closing this dialog would lose the secret.
  await page.keyboard.press("Escape");
  await expect(dialog.locator("pre").getByText("curl", { exact: false }).first()).toBeVisible();
  await dialog.getByRole("button", { name: "Copy", exact: true }).last().click();
  const curl = (await page.evaluate("navigator.clipboard.readText()")) as string;
  expect(curl).toMatch(/^curl /);
  expect(curl).toContain(secret);
  await dialog.getByRole("checkbox", { name: "I have stored the secret" }).check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("table", { name: "API keys" }).getByText(KEY_NAME)).toBeVisible();
  await page.reload();
  await opened.settle();
  const readable = (await page.evaluate(
    "document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
  )) as string;
  expect(readable.includes(secret), "the page no longer has the secret").toBe(false);
  return curl;
}

async function watchCall(opened: OpenConsole, curl: string, limitMs: number): Promise<void> {
  const { page } = opened;
  await opened.open("/logs?live=1");
  await expect(page.getByText("Live: requests appear as they finish")).toBeVisible();
  const answer = await runInShell(curl);
  expect(answer).toMatchObject({ status: 0, text: expect.stringContaining('"choices"') });
  await expect(rowsOf(page).first()).toBeVisible({ timeout: limitMs });
}

async function compareWithLedger(opened: OpenConsole, instance: Instance, person: Person): Promise<void> {
  const { page } = opened;
  await rowsOf(page).first().click();
  const total = page
    .getByRole("row", { name: /^Total/ })
    .getByRole("cell")
    .last();
  const transactionId = await textOf(page.getByRole("link", { name: /^ltx_|^txn_/ }));
  const platform = await instance.signIn(person);
  const { data } = await platform.call("listCreditTransactions", { query: { kind: ["usage"] } });
  const entry = data.find(({ id }) => id === transactionId);
  if (entry === undefined) throw new Error(`the ledger has no ${transactionId}`);
  await expect(total).toHaveText(exactUsd(-entry.amount));
}

async function meetBlock(opened: OpenConsole, instance: Instance, person: Person, curl: string): Promise<void> {
  const { page } = opened;
  await spendAll(instance, person);
  const refused = await waitFor("a refusal", async () => {
    const answer = await runInShell(curl);
    return answer.text.includes('"error"') && answer;
  });
  expect(refused.text).toMatch(/credit|balance|quota/i);
  await seesBannerWithPage(opened);
  await expect(page.getByRole("link", { name: "Add credits to unblock" })).toBeVisible();
  // The gateway writes refusals in batches, so reload the list until this refusal appears.
  await opened.retry("/logs?class=refused", () => rowsOf(page));
  await rowsOf(page).first().click();
  await expect(page.getByRole("link", { name: "Buy credits" })).toBeVisible();
}

/** Checks that the banner appears together with the page, so that no control moves while a user clicks it. */
async function seesBannerWithPage(opened: OpenConsole): Promise<void> {
  const { page } = opened;
  const burn = "**/api/**/burn*";
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(burn, async (route) => {
    await isReleased;
    await route.continue();
  });
  const loading = opened.open("/");
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor({ state: "attached" });
  const opacity = await page.evaluate(`getComputedStyle(document.getElementById("content")).opacity`);
  release();
  await loading;
  await page.unroute(burn);
  expect(opacity, "the page is not shown before its banner, which would push it down").toBe("0");
  await expect(page.getByText("Requests are refused.").first()).toBeVisible();
}

async function buyOut(opened: OpenConsole, curl: string): Promise<void> {
  const { page } = opened;
  await buyCredit(opened, "50");
  await expect(page.getByText("1 team unblocked.")).toBeVisible();
  await waitFor("an answer", async () => (await runInShell(curl)).text.includes('"choices"'));
  await opened.open("/");
  await expect(page.getByRole("link", { name: "Add credits to unblock" })).toHaveCount(0);
}

/** Charges one dollar more than the whole balance, like usage that settles late. */
async function spendAll(instance: Instance, person: Person): Promise<void> {
  const { quota } = await (await instance.signIn(person)).call("getQuota");
  const administrator = await instance.signIn(instance.admin);
  await administrator.call("reauthenticate", { body: { password: instance.admin.password } });
  await administrator.call("createCreditTransaction", {
    params: { id: quota.organizationId },
    body: { amount: -quota.balance - 1_000_000_000n, reason: "The journey needs an empty account" },
    idempotencyKey: randomUUID(),
  });
}

const rowsOf = (page: Page) => page.getByRole("table", { name: "Requests" }).locator("tbody tr");

/** Formats an amount with all nine decimal places, as the console displays exact amounts. */
function exactUsd(nano: bigint): string {
  return `$${nano / 1_000_000_000n}.${(nano % 1_000_000_000n).toString().padStart(9, "0")}`;
}
