import type { Browser, BrowserContext, Locator, Page, Request } from "@playwright/test";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import type { Instance, Person } from "./start-instance.ts";

/** Limit of every wait for the page, for a busy machine. */
export const PATIENCE_MS = 45_000;

export type Theme = "light" | "dark";

export interface ConsoleView {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: Theme;
}

/** One user's browser. Records everything that a correct page would not do. */
export interface OpenConsole {
  readonly context: BrowserContext;
  readonly page: Page;
  /**
   * Returns console errors, exceptions, dialogs, blocked content, 5xx responses, and requests to other hosts since the
   * last call.
   */
  takeProblems(): readonly string[];
  /** Returns the methods and paths of the API requests since the last call. */
  takeCalls(): readonly string[];
  /** Waits until the page has finished loading. */
  settle(): Promise<void>;
  /** Opens a page of the console and waits until it has settled. */
  open(path: string): Promise<void>;
  /** Reloads the page until the element appears, for data that the server writes with a delay. */
  retry(path: string, find: () => Locator): Promise<void>;
  close(): Promise<void>;
}

/** Opens a browser without a session. */
export async function openConsole(browser: Browser, instance: Instance, view: ConsoleView = {}): Promise<OpenConsole> {
  const { width = 1440, height = 900, theme = "light" } = view;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-US",
    timezoneId: "UTC",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const origin = new URL(instance.url).origin;
  const problems: string[] = [];
  const calls: string[] = [];
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message().slice(0, 100)}`);
    void dialog.dismiss().catch(() => {});
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    // Ignore 4xx responses, which a page may expect and display. An error that the page logs is a bug.
    const isRefusal = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !isRefusal) problems.push(`console: ${message.text().slice(0, 300)}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== origin) problems.push(`request to ${url.origin}`);
    const path = url.pathname.slice(instance.rootPath.length);
    if (path.startsWith("/api/")) calls.push(`${request.method()} ${path}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) problems.push(`${response.status()} of ${new URL(response.url()).pathname}`);
  });
  const open = watchRequests(page);
  const settle = async () => {
    await waitFor("a page that stands still", async () => open.size === 0 && (await page.evaluate(IS_STILL)), {
      limitMs: PATIENCE_MS,
    });
  };
  const openPage = async (path: string) => {
    await page.goto(`${instance.uiUrl}${path}`);
    await settle();
  };
  return {
    context,
    page,
    settle,
    open: openPage,
    retry: async (path, find) => {
      await waitFor(
        `what ${path} should show`,
        async () => {
          await openPage(path);
          return find().first().isVisible();
        },
        { limitMs: PATIENCE_MS },
      );
    },
    takeProblems: () => problems.splice(0),
    takeCalls: () => calls.splice(0),
    close: () => context.close(),
  };
}

/** Opens a browser and signs in with the sign-in form. */
export async function openConsoleAs(
  browser: Browser,
  instance: Instance,
  person: Person,
  view: ConsoleView = {},
): Promise<OpenConsole> {
  const opened = await openConsole(browser, instance, view);
  const { page } = opened;
  await opened.open("/login");
  await page.getByLabel("Email", { exact: true }).fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/login"));
  await opened.settle();
  opened.takeProblems();
  opened.takeCalls();
  return opened;
}

/** Returns the text of an element, once it exists. */
export async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? "";
}

/** Script that waits for two frames, and then reports whether the page shows its heading and no busy indicator. */
const IS_STILL = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(
  document.querySelector("h1") !== null &&
  document.querySelector("[aria-busy=true]:not([data-sample] *)") === null &&
  document.fonts.status === "loaded"
))))`;

/** Tracks requests without a response, except for requests that stay open on purpose. */
function watchRequests(page: Page): ReadonlySet<Request> {
  const open = new Set<Request>();
  page.on("request", (request) => {
    if (!request.url().includes("/logs/stream")) open.add(request);
  });
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  page.on("framenavigated", () => open.clear());
  return open;
}
