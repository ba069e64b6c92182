import { randomUUID } from "node:crypto";
import type { Report } from "@tollgate/testkit/report.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import type { Browser, Page } from "playwright-core";
import { keepPicture } from "../artifacts.ts";
import { type OpenConsole, openConsole, textOf } from "../stage/open-console.ts";
import { runInShell, type Shown } from "../stage/run-in-shell.ts";
import type { Instance, Person } from "../stage/start-instance.ts";

/** Model group with a price. The simulated models are free. */
const PRICED_MODEL = "support-chat";
const KEY_NAME = "First key";

/**
 * Goes from an empty account to a paid call, a refusal, and another paid call, using only the console as a user would.
 */
export async function runFirstMoney(
  browser: Browser,
  instance: Instance,
  report: Report,
  liveLimitMs: number,
): Promise<void> {
  const opened = await openConsole(browser, instance);
  const person = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const place = `${instance.rootPath}/`;
  let curl = "";
  const steps: readonly (readonly [name: string, run: () => Promise<void>])[] = [
    ["signs up and lands on Home", () => signUp(opened, person)],
    ["buys credit and sees the order credited", () => buyCredit(opened, "20")],
    [
      "makes a key whose secret is shown once",
      async () => {
        curl = await makeKey(opened);
      },
    ],
    [
      `runs the copied command and sees the call within ${liveLimitMs / 1_000} s`,
      () => watchCall(opened, curl, liveLimitMs),
    ],
    ["sees the cost that the ledger has", () => compareWithLedger(opened, instance, person)],
    ["is refused without credit, with a reason", () => meetBlock(opened, instance, person, curl)],
    ["buys credit and calls again", () => buyOut(opened, curl)],
  ];
  for (const [name, run] of steps) {
    const isDone = await report.check("journey", `${place} ${name}`, async () => {
      await run();
      const problems = opened.takeProblems();
      if (problems.length > 0) throw new Error(problems.join("\n"));
    });
    if (isDone) continue;
    await keepPicture(opened.page, `failed-${name}`);
    // Stop if this step fails, because later steps depend on it.
    break;
  }
  await opened.close();
}

async function signUp(opened: OpenConsole, { email, password }: Person): Promise<void> {
  const { page } = opened;
  await opened.open("/signup");
  await page.getByLabel("Name", { exact: true }).fill("Ada Marlowe");
  await page.getByLabel("Email", { exact: true }).fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(/\/ui\/$/);
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
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
  await timeline.getByText("Credited", { exact: false }).first().waitFor();
  await page.getByText(`$${dollars}.00 credited.`).waitFor();
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
  await dialog.locator("pre").getByText("curl", { exact: false }).first().waitFor();
  await dialog.getByRole("button", { name: "Copy", exact: true }).last().click();
  const curl = (await page.evaluate("navigator.clipboard.readText()")) as string;
  if (!curl.startsWith("curl ") || !curl.includes(secret)) throw new Error("the copied command has not the secret");
  await dialog.getByRole("checkbox", { name: "I have stored the secret" }).check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("table", { name: "API keys" }).getByText(KEY_NAME).waitFor();
  await page.reload();
  await opened.settle();
  const kept = (await page.evaluate(
    "document.documentElement.outerHTML + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
  )) as string;
  if (kept.includes(secret)) throw new Error("the secret is still there after it was put away");
  return curl;
}

async function watchCall(opened: OpenConsole, curl: string, limitMs: number): Promise<void> {
  const { page } = opened;
  await opened.open("/logs?live=1");
  await page.getByText("Live: requests appear as they finish").waitFor();
  const answer = await runInShell(curl);
  if (answer.status !== 0 || !answer.text.includes('"choices"')) throw new Error(`the command failed: ${answer.text}`);
  const endedAtMs = performance.now();
  await rowsOf(page).first().waitFor({ timeout: limitMs });
  const tookMs = performance.now() - endedAtMs;
  if (tookMs > limitMs) throw new Error(`shown after ${tookMs.toFixed(0)} ms`);
}

async function compareWithLedger(opened: OpenConsole, instance: Instance, person: Person): Promise<void> {
  const { page } = opened;
  await rowsOf(page).first().click();
  const total = page
    .getByRole("row", { name: /^Total/ })
    .getByRole("cell")
    .last();
  const shown = await textOf(total);
  const transactionId = await textOf(page.getByRole("link", { name: /^ltx_|^txn_/ }));
  const platform = await instance.signIn(person);
  const { data } = await platform.call("listCreditTransactions", { query: { kind: ["usage"] } });
  const entry = data.find(({ id }) => id === transactionId);
  if (entry === undefined) throw new Error(`the ledger has no ${transactionId}`);
  if (shown !== exactUsd(-entry.amount))
    throw new Error(`the page says ${shown}, the ledger ${exactUsd(-entry.amount)}`);
}

async function meetBlock(opened: OpenConsole, instance: Instance, person: Person, curl: string): Promise<void> {
  const { page } = opened;
  await spendAll(instance, person);
  const refused = await waitFor("a refusal", async () => {
    const answer = await runInShell(curl);
    return answer.text.includes('"error"') && answer;
  });
  assertNames(refused, /credit|balance|quota/i);
  await seesBannerWithPage(opened);
  await page.getByRole("link", { name: "Add credits to unblock" }).waitFor();
  // The gateway writes refusals in batches, so reload the list until this refusal appears.
  await opened.retry("/logs?status=refused", () => rowsOf(page));
  await rowsOf(page).first().click();
  await page.getByRole("link", { name: "Buy credits" }).waitFor();
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
  if (opacity !== "0") throw new Error("the page is shown before its banner, which then pushes it down");
  await page.getByText("Requests are refused.").first().waitFor();
}

async function buyOut(opened: OpenConsole, curl: string): Promise<void> {
  const { page } = opened;
  await buyCredit(opened, "50");
  await page.getByText("1 team unblocked.").waitFor();
  await waitFor("an answer", async () => (await runInShell(curl)).text.includes('"choices"'));
  await opened.open("/");
  const banner = page.getByRole("link", { name: "Add credits to unblock" });
  await banner.waitFor({ state: "detached" });
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

function assertNames({ text }: Shown, what: RegExp): void {
  if (!what.test(text)) throw new Error(`the refusal does not say why: ${text}`);
}

/** Formats an amount with all nine decimal places, as the console displays exact amounts. */
function exactUsd(nano: bigint): string {
  return `$${nano / 1_000_000_000n}.${(nano % 1_000_000_000n).toString().padStart(9, "0")}`;
}
