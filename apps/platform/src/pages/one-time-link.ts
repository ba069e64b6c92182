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

/** The user that a link signs in. */
interface LinkOwner {
  readonly userId: number;
  readonly email: string;
  readonly role: "user" | "admin";
}

/** A link that signs in one user once, on this machine, without a password. The link is printed to the terminal. */
export class OneTimeLink {
  readonly code = makePairingCode();
  readonly #owner: LinkOwner;
  readonly #expiresAtMs: number;
  #wrongCodes = 0;
  #isUsed = false;

  constructor(owner: LinkOwner, nowMs: number) {
    this.#owner = owner;
    this.#expiresAtMs = nowMs + LINK_LIFE_MS;
  }

  /** Returns the user if the code is correct, unused, and not expired; otherwise null. */
  take(code: string, nowMs: number): LinkOwner | null {
    if (this.#isUsed || nowMs > this.#expiresAtMs || this.#wrongCodes >= MAX_WRONG_CODES) return null;
    if (!digestPairingCode(code).equals(digestPairingCode(this.code))) {
      this.#wrongCodes += 1;
      return null;
    }
    this.#isUsed = true;
    return this.#owner;
  }
}

/** Handles a request for the link: sets the cookie for a new session and redirects to the console. */
export async function followLink(
  request: IncomingMessage,
  code: string,
  link: OneTimeLink | null,
  { services, readOrigin }: FormFrame,
): Promise<PageAnswer> {
  const settings = services.settings();
  // A browser's prefetch must not use up the link.
  if (request.method !== "GET" || request.headers["sec-purpose"] !== undefined) return { status: 503 };
  const now = services.now();
  const owner = isLoopback(request.socket.remoteAddress) ? link?.take(code, now.getTime()) : null;
  if (owner === null || owner === undefined) return describeUsed(settings.rootPath);
  const { userId, role, email } = owner;
  const origin = readOrigin(request);
  const claims = await runUnauthenticated(services.db, (transaction) =>
    logIn(transaction, services, origin, { userId, role, email, authenticatedAt: now }),
  );
  const { token } = await services.tokens.issue(claims);
  return redirect(`${settings.rootPath}/ui/`, sessionCookie(settings, token, SESSION_LIFE_MS));
}

function describeUsed(rootPath: string): PageAnswer {
  return plainPage(
    410,
    "Link expired",
    html`<h1>This link was already used or has expired</h1>
<p>It works once, within 10 minutes, on the computer that shows it. Restart <code>tollgate dev</code> to get a new link.</p>
<p><a href="${rootPath}/ui/login">Sign in with the password instead</a>, or <a href="${rootPath}/fallback/login">without JavaScript</a>.</p>`,
  );
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/.test(address);
}
