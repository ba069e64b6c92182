import { expect, type Page } from "@playwright/test";
import { isQuick, QUICK_PAYLOADS } from "../run-options.ts";
import { test as consoleTest } from "../stage/console-test.ts";
import { addFigures } from "../stage/figures.ts";
import { type OpenConsole, openConsoleAs } from "../stage/open-console.ts";
import { CANARY, payloads } from "./payloads.ts";
import { type Planted, PROMPTS_PER_CALL, plantPayloads } from "./plant-payloads.ts";

// Tries to run code in a user's console through every text field.

/** List pages that show the payloads to the user who created them. */
const ownPages = [
  "/",
  "/keys",
  "/keys?page=2",
  "/teams",
  "/members",
  "/logs",
  "/logs?class=refused",
  "/sessions?range=30d",
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
  "/admin/prices",
  "/admin/prices?group=organization",
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
  "/admin/prices?search={}&use={}&open={}&group={}",
];

/** Payloads of this run, spread across the corpus, so that they include every kind. */
const count = isQuick ? QUICK_PAYLOADS : payloads.length;
const chosen = payloads.filter((_, index) => index % Math.ceil(payloads.length / count) === 0);

interface AttackedConsole {
  readonly opened: OpenConsole;
  /** Returns the number of times that a payload ran. */
  readonly strikes: () => number;
}

interface AttackFixtures {
  planted: Planted;
  /** The console of the user who created the payloads. */
  own: AttackedConsole;
  administrator: AttackedConsole;
}

const test = consoleTest.extend<object, AttackFixtures>({
  planted: [async ({ instance }, use) => use(await plantPayloads(instance, chosen)), { scope: "worker" }],
  own: [
    async ({ browser, instance, planted }, use) => {
      const opened = await openConsoleAs(browser, instance, planted.person);
      await use(await watch(opened));
      await opened.close();
    },
    { scope: "worker" },
  ],
  administrator: [
    async ({ browser, instance, planted: _ }, use) => {
      const opened = await openConsoleAs(browser, instance, instance.admin);
      await use(await watch(opened));
      await opened.close();
    },
    { scope: "worker" },
  ],
});

test(`${chosen.length} payloads are planted`, ({ planted }) => {
  addFigures({ planted: planted.taken });
  expect(planted.taken).toBeGreaterThan(0);
});

for (const path of ownPages) {
  test(`what was planted is text: ${path}`, ({ own }) => struckBy(own, path));
}

for (let call = 0; call < chosen.length / PROMPTS_PER_CALL; call += 1) {
  test(`what was planted is text: /logs/… of call ${call + 1}`, async ({ own, planted }) => {
    await struckBy(own, String(planted.callPaths[call]));
  });
}

test("what was planted is text: /threads/…", ({ own, planted }) => struckBy(own, planted.threadPath));

test("planted names are shown as they were typed", async ({ own: { opened } }) => {
  await opened.open("/keys");
  const shown = (await opened.page.evaluate("document.body.innerText")) as string;
  const plain = chosen.filter((text) => /^[\x20-\x7e]+$/.test(text) && !/\s{2}|^\s|\s$/.test(text));
  const seen = plain.filter((text) => shown.includes(text)).length;
  // Not all names are visible: the list is paginated, and the API rejects a few names.
  expect(seen).toBeGreaterThanOrEqual(Math.min(plain.length, 60) * 0.8);
});

for (const path of administratorPages) {
  test(`what was planted is text, for the administrator: ${path}`, ({ administrator }) =>
    struckBy(administrator, path));
}

test(`${chosen.length} payloads in addresses are text`, async ({ own }) => {
  for (const [index, payload] of chosen.entries()) {
    const address = addresses[index % addresses.length] as string;
    await struckBy(own, address.replaceAll("{}", encodeURIComponent(payload)));
  }
});

test("signing in never redirects to another site", async ({ instance, newConsole }) => {
  const lures = [
    `javascript:${CANARY}(1)`,
    "//evil.example/",
    "https://evil.example/",
    "/\\evil.example",
    "\\\\evil.example",
  ];
  for (const lure of lures) {
    const { opened, strikes } = await watch(await newConsole());
    const { page } = opened;
    await opened.open(`/login?next=${encodeURIComponent(lure)}`);
    await page.getByLabel("Email", { exact: true }).fill(instance.admin.email);
    await page.getByLabel("Password", { exact: true }).fill(instance.admin.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith("/login"));
    expect(page.url().startsWith(`${instance.uiUrl}/`), `${lure} led to ${page.url()}`).toBe(true);
    expect(strikes(), lure).toBe(0);
    await opened.close();
  }
});

async function watch(opened: OpenConsole): Promise<AttackedConsole> {
  let strikes = 0;
  await opened.context.exposeFunction(CANARY, () => {
    strikes += 1;
  });
  return { opened, strikes: () => strikes };
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
