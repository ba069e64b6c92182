import type { IncomingMessage } from "node:http";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { logIn } from "../identity/log-in.ts";
import { SESSION_LIFE_MS } from "../identity/open-session.ts";
import { sessionCookie } from "../identity/session-cookie.ts";
import { digestPairingCode, makePairingCode } from "../pairings/pairing-code.ts";
import type { FormFrame } from "./fallback-login.ts";
import { type PageAnswer, redirect } from "./page-answer.ts";
import { html, plainPage } from "./plain-page.ts";

const LINK_LIFE_MS = 10 * 60_000;
const MAX_WRONG_CODES = 20;
const MAX_LINKS = 100;

/** The user that a link signs in. */
interface LinkOwner {
  readonly userId: number;
  readonly email: string;
  readonly role: "user" | "admin";
}

interface Link {
  readonly digest: Buffer;
  /** Page below the root path that the link opens. */
  readonly page: string;
  readonly expiresAtMs: number;
}

/**
 * Links that sign in one user on this machine without a password. Each link works once. They are printed to the
 * terminal.
 */
export class OneTimeLinks {
  readonly #owner: LinkOwner;
  #links: readonly Link[] = [];
  #wrongCodes = 0;

  constructor(owner: LinkOwner) {
    this.#owner = owner;
  }

  /** Returns the code of a new link to this page. */
  issue(page: string, nowMs: number): string {
    const code = makePairingCode();
    const link = { digest: digestPairingCode(code), page, expiresAtMs: nowMs + LINK_LIFE_MS };
    this.#links = [...this.#links, link].slice(-MAX_LINKS);
    return code;
  }

  /** Returns the user and the page if the code is correct, unused, and not expired; otherwise null. */
  take(code: string, nowMs: number): { readonly owner: LinkOwner; readonly page: string } | null {
    if (this.#wrongCodes >= MAX_WRONG_CODES) return null;
    const digest = digestPairingCode(code);
    const link = this.#links.find((one) => one.digest.equals(digest));
    if (link === undefined) {
      this.#wrongCodes += 1;
      return null;
    }
    this.#links = this.#links.filter((one) => one !== link);
    return nowMs > link.expiresAtMs ? null : { owner: this.#owner, page: link.page };
  }
}

/** Handles a request for a link: sets the cookie for a new session and redirects to the link's page. */
export async function followLink(
  request: IncomingMessage,
  code: string,
  links: OneTimeLinks | null,
  { services, readOrigin }: FormFrame,
): Promise<PageAnswer> {
  const settings = services.settings();
  // A browser's prefetch must not use up the link, and a page that embeds wrong codes must not invalidate all links.
  const { "sec-purpose": purpose, "sec-fetch-dest": destination = "document" } = request.headers;
  if (request.method !== "GET" || purpose !== undefined || destination !== "document") return { status: 503 };
  const now = services.now();
  const taken = isLoopback(request.socket.remoteAddress) ? links?.take(code, now.getTime()) : null;
  if (taken === null || taken === undefined) return describeUsed(settings.rootPath);
  const { userId, role, email } = taken.owner;
  const origin = readOrigin(request);
  const claims = await runUnauthenticated(services.db, (transaction) =>
    logIn(transaction, services, origin, { userId, role, email, authenticatedAt: now }),
  );
  const { token } = await services.tokens.issue(claims);
  return redirect(settings.rootPath + taken.page, sessionCookie(settings, token, SESSION_LIFE_MS));
}

function describeUsed(rootPath: string): PageAnswer {
  return plainPage(
    410,
    "Link expired",
    html`<h1>This link was already used or has expired</h1>
<p>It works once, within 10 minutes, on the computer that shows it. Restart <code>tollgate dev</code> to get a new link.</p>
<p>If you are still signed in, <a href="${rootPath}/ui/">open the console</a>.</p>
<p><a href="${rootPath}/ui/login">Sign in with the password instead</a>, or <a href="${rootPath}/fallback/login">without JavaScript</a>.</p>`,
  );
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/.test(address);
}
