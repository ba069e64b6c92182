import type { Report } from "@tollgate/testkit/report.ts";
import type { Browser, Page } from "playwright-core";
import { type OpenConsole, openConsole, openConsoleAs } from "../stage/open-console.ts";
import type { Instance } from "../stage/start-instance.ts";
import { CANARY, payloads } from "./payloads.ts";
import { type Planted, plantPayloads } from "./plant-payloads.ts";

/** List pages that show the payloads to the user who created them. */
const ownPages = [
  "/",
  "/keys",
  "/keys?page=2",
  "/teams",
  "/members",
  "/logs",
  "/logs?status=refused",
  "/usage?group=key",
  "/usage?group=model",
  "/credits",
  "/credits?page=2",
  "/assistants",
  "/playground",
  "/settings",
];
const administratorPages = [
  "/model_hub_table",
  "/model_hub_table?view=cards",
  "/model_hub_table/attacked-0",
  "/admin/deployments",
  "/admin/routing",
  "/admin/users",
  "/admin/organizations",
  "/admin/audit",
  "/health",
  "/tools/inspect",
];
/** URLs with a parameter that the page displays or uses. The payload replaces `{}`. */
const addresses = [
  "/keys?search={}",
  "/logs?search={}&model={}&key={}&code={}",
  "/logs?open={}",
  "/logs/{}",
  "/logs?range={}&sort={}&status={}",
  "/usage?model={}&group={}&range={}",
  "/model_hub_table?search={}&provider={}&compare={}",
  "/model_hub_table/{}",
  "/teams/{}",
  "/keys/{}?tab={}",
  "/credits?order={}&amount={}&movements={}",
  "/credits/receipts/{}",
  "/playground?model={}&replay={}",
  "/threads/{}",
  "/cli/confirm?code={}",
  "/settings?tab={}",
  "/no/such/{}",
  "/login?next={}",
];

/** Tries to run code in a user's console through every text field. Returns the number of planted strings. */
export async function runAttacks(browser: Browser, instance: Instance, count: number, report: Report): Promise<number> {
  // Spread the selection across the corpus, so that it includes every kind of payload.
  const chosen = payloads.filter((_, index) => index % Math.ceil(payloads.length / count) === 0);
  let planted: Planted | null = null;
  await report.check("attacks", `${chosen.length} payloads are planted`, async () => {
    planted = await plantPayloads(instance, chosen);
  });
  const { person, paths, taken } = (planted as Planted | null) ?? { person: instance.admin, paths: [], taken: 0 };
  const own = await watch(await openConsoleAs(browser, instance, person));
  for (const path of [...ownPages, ...paths])
    await tryPage(own, path, `what was planted is text: ${nameOf(path)}`, report);
  await report.check("attacks", "planted names are shown as they were typed", () => seesText(own, chosen));
  const administrator = await watch(await openConsoleAs(browser, instance, instance.admin));
  for (const path of administratorPages)
    await tryPage(administrator, path, `what was planted is text: ${path}`, report);
  await report.check("attacks", `${chosen.length} payloads in addresses are text`, async () => {
    for (const [index, payload] of chosen.entries()) {
      const address = addresses[index % addresses.length] as string;
      await struckBy(own, address.replaceAll("{}", encodeURIComponent(payload)));
    }
  });
  await own.opened.close();
  await administrator.opened.close();
  await report.check("attacks", "signing in never redirects to another site", () => tryRedirects(browser, instance));
  return taken;
}

interface AttackedConsole {
  readonly opened: OpenConsole;
  /** Returns the number of times that a payload ran. */
  readonly strikes: () => number;
}

async function watch(opened: OpenConsole): Promise<AttackedConsole> {
  let count = 0;
  await opened.context.exposeFunction(CANARY, () => {
    count += 1;
  });
  return { opened, strikes: () => count };
}

async function tryPage(console: AttackedConsole, path: string, name: string, report: Report): Promise<void> {
  await report.check("attacks", name, () => struckBy(console, path));
}

/** Opens a page. Throws if a payload ran, or if only the content security policy stopped it. */
async function struckBy({ opened, strikes }: AttackedConsole, path: string): Promise<void> {
  opened.takeProblems();
  await opened.open(path).catch((error: Error) => {
    throw new Error(`${path}\n${error.message}`);
  });
  const problems = [...opened.takeProblems(), ...(await findLures(opened.page))];
  if (strikes() > 0) problems.unshift("a payload ran");
  if (problems.length > 0) throw new Error(`${path}\n${problems.join("\n")}`);
}

/** Returns elements that our pages never contain, so they must have been created from a payload. */
async function findLures(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`[...document.querySelectorAll("*")].filter((it) =>
    [...it.attributes].some(({ name, value }) => name.startsWith("on") || /^\\\\s*(javascript|vbscript|data:text)/i.test(value) && /^(href|src|action|formaction|data|xlink:href)$/.test(name))
  ).map((it) => "made of text: " + it.outerHTML.slice(0, 200))`)) as string[];
}

async function seesText({ opened }: AttackedConsole, planted: readonly string[]): Promise<void> {
  await opened.open("/keys");
  const shown = (await opened.page.evaluate("document.body.innerText")) as string;
  const plain = planted.filter((text) => /^[\x20-\x7e]+$/.test(text) && !/\s{2}|^\s|\s$/.test(text));
  const seen = plain.filter((text) => shown.includes(text)).length;
  // Not all names are visible: the list is paginated, and the API rejects a few names.
  if (seen < Math.min(plain.length, 60) * 0.8) throw new Error(`only ${seen} of ${plain.length} names are on the page`);
}

async function tryRedirects(browser: Browser, instance: Instance): Promise<void> {
  const lures = [
    `javascript:${CANARY}(1)`,
    "//evil.example/",
    "https://evil.example/",
    "/\\evil.example",
    "\\\\evil.example",
  ];
  for (const lure of lures) {
    const { opened, strikes } = await watch(await openConsole(browser, instance));
    const { page } = opened;
    await opened.open(`/login?next=${encodeURIComponent(lure)}`);
    await page.getByLabel("Email", { exact: true }).fill(instance.admin.email);
    await page.getByLabel("Password", { exact: true }).fill(instance.admin.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith("/login"));
    if (!page.url().startsWith(`${instance.uiUrl}/`) || strikes() > 0) throw new Error(`${lure} led to ${page.url()}`);
    await opened.close();
  }
}

/** Returns the path of a page without the ID of the record. */
const nameOf = (path: string): string => path.replace(/\/(use|thread)_.*/, "/…");
