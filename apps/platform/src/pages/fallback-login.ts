import type { IncomingMessage } from "node:http";
import type { Failure, FailureCode } from "@tollgate/contracts/failures.ts";
import { runAsUser } from "@tollgate/db/tenancy.ts";
import type { Origin } from "../caller.ts";
import { chooseBaseUrl } from "../choose-base-url.ts";
import { failureHeaders, toFailure } from "../http/answer-failure.ts";
import { readCredentials } from "../http/authenticate.ts";
import type { Throttle } from "../http/throttle.ts";
import { readDevice, signedInCookies } from "../identity/known-device.ts";
import { SESSION_LIFE_MS } from "../identity/open-session.ts";
import { clearedCookie } from "../identity/session-cookie.ts";
import { endSession } from "../identity/sessions.ts";
import { signIn } from "../identity/sign-in.ts";
import type { Services } from "../services.ts";
import { type PageAnswer, redirect } from "./page-answer.ts";
import { type Html, html, plainPage } from "./plain-page.ts";
import { checkFormOrigin, readForm } from "./read-form.ts";

export interface FormFrame {
  readonly services: Services;
  readonly throttle: Throttle;
  readonly readOrigin: (request: IncomingMessage) => Origin;
}

/** Shows the login form, which works without scripts. */
export function showLogin(request: IncomingMessage, { services }: FormFrame): PageAnswer {
  return renderLogin(request, services, { status: 200, email: "", trouble: null, asksCode: false });
}

/**
 * Handles the login form with the same checks, throttling, and audit entries as any other login. Sets the session
 * cookie.
 */
export async function takeLogin(request: IncomingMessage, frame: FormFrame): Promise<PageAnswer> {
  const { services } = frame;
  let email = "";
  try {
    const origin = frame.readOrigin(request);
    // Check the origin first, so that other sites can't use up a visitor's login attempts.
    const form = await readForm(request, services.settings());
    await frame.throttle.take("form-login", { userId: null, ip: origin.ip });
    email = form.get("username") ?? form.get("email") ?? "";
    const totp = form.get("totp") || undefined;
    const device = readDevice(request.headers.cookie, services);
    const claims = await signIn(services, origin, { email, password: form.get("password") ?? "", totp, device });
    const { token } = await services.tokens.issue(claims);
    const cookies = signedInCookies(services, { token, lifeMs: SESSION_LIFE_MS, userId: claims.userId, device });
    return redirect(`${services.settings().rootPath}/ui/`, cookies);
  } catch (error) {
    const failure = toFailure(error, (unexpected) =>
      services.logger.error("form sign-in failed unexpectedly", { error: unexpected }),
    );
    // An invalid email address gets the same response as an unknown email address.
    const status = failure.code === "INVALID_FIELD" ? 401 : failure.status;
    const asksCode = failure.code === "TOTP_REQUIRED";
    const answer = renderLogin(request, services, { status, email, trouble: describeTrouble(failure), asksCode });
    return { ...answer, headers: { ...answer.headers, ...withoutChallenge(failureHeaders(failure)) } };
  }
}

/** Ends the cookie's session and clears the cookie, whether or not the session is valid. */
export async function takeLogout(request: IncomingMessage, frame: FormFrame): Promise<PageAnswer> {
  const { services } = frame;
  const settings = services.settings();
  checkFormOrigin(request, settings);
  const gone = redirect(`${settings.rootPath}/fallback/login`, clearedCookie(settings));
  const shown = readCredentials({ authorization: null, cookie: request.headers.cookie ?? null }, settings);
  const token = shown === null ? null : await services.tokens.read(shown.token);
  if (token === null || token.kind === "invalid") return gone;
  const { userId, sessionId } = token.claims;
  const actor = { type: "user", id: userId, ...frame.readOrigin(request) } as const;
  await runAsUser(services.db, userId, (transaction) =>
    endSession(transaction, { userId, sessionId, now: services.now() }, actor),
  );
  return gone;
}

interface LoginForm {
  readonly status: number;
  readonly email: string;
  readonly trouble: string | null;
  readonly asksCode: boolean;
}

function renderLogin(request: IncomingMessage, services: Services, form: LoginForm): PageAnswer {
  const settings = services.settings();
  const { rootPath } = settings;
  const trouble: Html =
    form.trouble === null ? html`` : html`<p class="trouble" role="alert" id="trouble">${form.trouble}</p>\n`;
  const code: Html = form.asksCode
    ? html`<label for="totp">One-time code</label>
<input id="totp" name="totp" inputmode="numeric" autocomplete="one-time-code" maxlength="16" autofocus>\n`
    : html``;
  return plainPage(
    form.status,
    "Sign in",
    html`<h1>Sign in to Tollgate</h1>
<p>Plain sign-in for <code>${chooseBaseUrl(settings, request.headers.host)}</code>. It needs no JavaScript and does not use single sign-on.</p>
<form class="panel" method="post" action="${rootPath}/login">
${trouble}<label for="username">Email</label>
<input id="username" name="username" type="email" autocomplete="username" value="${form.email}" maxlength="254" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required>
${code}<button type="submit">Sign in</button>
</form>
<ul>
<li>After five wrong passwords, you must wait before each further attempt. Every attempt is recorded in the audit log.</li>
<li>After you sign in, you go to <code>${rootPath}/ui/</code>. <a href="${rootPath}/ui/login">Use the normal sign-in</a></li>
</ul>`,
  );
}

const troubles: Partial<Record<FailureCode, string>> = {
  BAD_CREDENTIALS: "The email address, password, or code is wrong.",
  INVALID_FIELD: "The email address, password, or code is wrong.",
  TOTP_REQUIRED: "This account requires a one-time code. Enter your password again, with the code.",
  CROSS_ORIGIN: "This form was sent by another site. Sign in from this page.",
  DB_TIMEOUT: "The database is unavailable, so your password was not checked. Try again shortly.",
};

function describeTrouble(failure: Failure): string {
  return troubles[failure.code] ?? failure.message;
}

/** Removes WWW-Authenticate, which would make browsers open their own password dialog. */
function withoutChallenge(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "www-authenticate"));
}
