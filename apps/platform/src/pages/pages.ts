import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Secret } from "@tollgate/domain/secret.ts";
import { toFailure } from "../http/answer-failure.ts";
import { createOriginReader } from "../http/origin.ts";
import type { Throttle } from "../http/throttle.ts";
import type { Services } from "../services.ts";
import type { ConsoleBundle } from "./console-bundle.ts";
import { answerConfig, type ConsoleFacts } from "./console-config.ts";
import { type ConsolePages, createConsolePages, describeMissing } from "./console-pages.ts";
import { createDocsPages, type DocsPages } from "./docs-pages.ts";
import { type FormFrame, showLogin, takeLogin, takeLogout } from "./fallback-login.ts";
import { FirstSetup } from "./first-setup.ts";
import { showFrontPage } from "./front-page.ts";
import { followLink, type OneTimeLinks } from "./one-time-link.ts";
import { type PageAnswer, redirect, refuseMethod, sendPage } from "./page-answer.ts";
import { html, plainPage } from "./plain-page.ts";
import type { VerifiedFiles } from "./verified-files.ts";

interface PageParts {
  readonly services: Services;
  readonly throttle: Throttle;
  readonly bundle: () => ConsoleBundle;
  /** Loads the built documentation on first use. */
  readonly docs: () => Promise<VerifiedFiles>;
  readonly facts: () => ConsoleFacts;
  /** Secrets that allow the first account to be created in a browser. */
  readonly setupSecrets: () => readonly Secret[];
  /** One-time sign-in links, set in development mode only. */
  readonly oneTimeLinks: OneTimeLinks | null;
}

/** Path prefixes of the pages. */
export const PAGE_PREFIXES = ["/ui", "/docs", "/fallback/login", "/login", "/logout"] as const;

/** Pages outside these prefixes. API clients get the gateway's response to the same path. */
export const BROWSER_PATHS = ["/"] as const;

/** Exceptions to `PAGE_PREFIXES`: paths of the API reference, which the gateway serves. */
export const REFERENCE_PATHS = ["/docs/api", "/docs/api/", "/docs/api/viewer.js", "/docs/api/start.js"] as const;

/** Serves the console, the documentation, and the fallback pages that work without the console. */
export function createPages(parts: PageParts): (request: IncomingMessage, response: ServerResponse) => void {
  const { services, throttle } = parts;
  const readOrigin = createOriginReader(services);
  const frame: FormFrame = { services, throttle, readOrigin: (request) => readOrigin(request, randomUUID()) };
  const setup = new FirstSetup(frame, parts.setupSecrets);
  let made: { readonly bundle: ConsoleBundle; readonly rootPath: string; readonly pages: ConsolePages } | null = null;
  const rootPath = () => services.settings().rootPath;
  const consolePages = (): ConsolePages => {
    const bundle = parts.bundle();
    if (made?.bundle !== bundle || made.rootPath !== rootPath()) {
      made = { bundle, rootPath: rootPath(), pages: createConsolePages(bundle, rootPath()) };
    }
    return made.pages;
  };
  let madeDocs: { readonly site: VerifiedFiles; readonly rootPath: string; readonly pages: DocsPages } | null = null;
  const docsPages = async (): Promise<DocsPages> => {
    const site = await parts.docs();
    if (madeDocs?.site !== site || madeDocs.rootPath !== rootPath()) {
      madeDocs = { site, rootPath: rootPath(), pages: createDocsPages(site, rootPath()) };
    }
    return madeDocs.pages;
  };

  const fixed: Readonly<Record<string, Page>> = {
    "/fallback/login": { read: (request) => showLogin(request, frame) },
    "/login": { read: () => redirect(`${rootPath()}/fallback/login`), take: (request) => takeLogin(request, frame) },
    "/logout": { take: (request) => takeLogout(request, frame) },
    "/ui/setup": { read: () => setup.show(), take: (request) => setup.take(request) },
    "/ui": { read: (request) => redirect(`${rootPath()}/ui/${queryOf(request)}`) },
    "/ui/config.json": { read: (request) => answerConfig(request, services.settings(), parts.facts()) },
  };

  const answer = (request: IncomingMessage): PageAnswer | Promise<PageAnswer> => {
    const path = pathOf(request);
    // The documentation is available even if the console is disabled.
    if (isDocs(path)) return docsPages().then((show) => show(request, path.slice("/docs".length)));
    if (path === "/") {
      // The page is useful without the database, too.
      return setup
        .isOpen()
        .catch(() => false)
        .then((isSetupOpen) => showFrontPage(request, services.settings(), { ...parts.facts(), isSetupOpen }));
    }
    if (parts.facts().isDisabled) return describeDisabled();
    const page = fixed[path];
    if (page !== undefined) return answerPage(page, request);
    const code = /^\/ui\/once\/([^/]+)$/.exec(path)?.[1];
    if (code !== undefined) return followLink(request, code, parts.oneTimeLinks, frame);
    // The login page has no subpages.
    if (!path.startsWith("/ui/")) return describeMissing(rootPath());
    return consolePages()(request, path.slice("/ui/".length));
  };

  return (request, response) => {
    Promise.resolve()
      .then(() => answer(request))
      .catch((error: unknown) => describeFailure(error, services))
      .then((ready) => sendPage(request, response, ready))
      .catch(() => response.destroy());
  };
}

type Show = (request: IncomingMessage) => PageAnswer | Promise<PageAnswer>;

/** GET and form submission handlers for a path. */
interface Page {
  readonly read?: Show;
  readonly take?: Show;
}

function answerPage({ read, take }: Page, request: IncomingMessage): PageAnswer | Promise<PageAnswer> {
  if (read !== undefined && (request.method === "GET" || request.method === "HEAD")) return read(request);
  if (take !== undefined && request.method === "POST") return take(request);
  const allowed = [...(read === undefined ? [] : ["GET", "HEAD"]), ...(take === undefined ? [] : ["POST"])];
  return refuseMethod(allowed.join(", "));
}

function isDocs(path: string): boolean {
  return path === "/docs" || path.startsWith("/docs/");
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] as string;
}

/** Returns the query, including the question mark. */
function queryOf(request: IncomingMessage): string {
  return (request.url ?? "/").slice(pathOf(request).length);
}

function describeDisabled(): PageAnswer {
  return plainPage(404, "Not found", html`<h1>Page not found</h1>\n<p>The console is disabled on this server.</p>`);
}

function describeFailure(error: unknown, { logger }: Services): PageAnswer {
  const failure = toFailure(error, (unexpected) =>
    logger.error("page request failed unexpectedly", { error: unexpected }),
  );
  return plainPage(failure.status, "Error", html`<h1>Something went wrong</h1>\n<p>${failure.message}</p>`);
}
