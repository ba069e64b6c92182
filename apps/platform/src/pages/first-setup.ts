import type { IncomingMessage } from "node:http";
import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import { Name } from "@tollgate/contracts/management/fields.ts";
import { compileOnUse } from "@tollgate/contracts/validation/compile-check.ts";
import { hasAnyAccount, isEmptyInstallation } from "@tollgate/db/accounts/create-account.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { normalizeEmail } from "@tollgate/domain/identity/normalize-email.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import { failureHeaders, toFailure } from "../http/answer-failure.ts";
import { createPerson } from "../identity/create-person.ts";
import { hashNewPassword } from "../identity/hash-new-password.ts";
import { readDevice, signedInCookies } from "../identity/known-device.ts";
import { SESSION_LIFE_MS } from "../identity/open-session.ts";
import { isOneOf } from "../identity/setup-token.ts";
import type { Services } from "../services.ts";
import type { FormFrame } from "./fallback-login.ts";
import { type PageAnswer, redirect } from "./page-answer.ts";
import { type Html, html, plainPage } from "./plain-page.ts";
import { readForm } from "./read-form.ts";

const MAX_NAME_LENGTH = 100;
/** Names have the same rules as in the API. */
const isName = compileOnUse(Name);

/** The setup of a server that has no accounts, in a browser. Without a secret, a visitor can do nothing. */
export class FirstSetup {
  readonly #frame: FormFrame;
  readonly #secrets: () => readonly Secret[];
  /** Accounts are never removed from the database, so this never becomes false again. */
  #hasAccounts = false;

  /** `secrets` are the setup token and the master key. Without any secret, the setup is not available. */
  constructor(frame: FormFrame, secrets: () => readonly Secret[]) {
    this.#frame = frame;
    this.#secrets = secrets;
  }

  /** Reports whether the setup is available: there is a secret, and no account exists. */
  async isOpen(): Promise<boolean> {
    if (this.#hasAccounts || this.#secrets().length === 0) return false;
    this.#hasAccounts = await runUnauthenticated(this.#frame.services.db, hasAnyAccount);
    return !this.#hasAccounts;
  }

  async show(): Promise<PageAnswer> {
    if (!(await this.isOpen())) return this.#toSignIn();
    return renderSetup(this.#frame.services, { status: 200, trouble: null, email: "", name: "", organization: "" });
  }

  /** Creates the administrator, signs them in, and closes the setup for good. */
  async take(request: IncomingMessage): Promise<PageAnswer> {
    const { services, throttle } = this.#frame;
    if (!(await this.isOpen())) return this.#toSignIn();
    const typed = { email: "", name: "", organization: "" };
    try {
      const origin = this.#frame.readOrigin(request);
      const form = await readForm(request, services.settings());
      await throttle.take("form-login", { userId: null, ip: origin.ip });
      typed.email = form.get("username") ?? "";
      typed.name = (form.get("name") ?? "").trim();
      typed.organization = (form.get("organization") ?? "").trim();
      // Check the secret first, so that no answer depends on anything else without it.
      if (!isOneOf(this.#secrets(), form.get("token") ?? "")) {
        services.logger.warn("refused a first-start setup with a wrong token", { callId: origin.requestId });
        throw new Failure("BAD_CREDENTIALS", "The setup token is wrong.");
      }
      const email = normalizeEmail(typed.email);
      if (email === null) throw new Failure("INVALID_FIELD", "Enter an email address.");
      for (const [field, text] of [
        ["name", typed.name],
        ["organization", typed.organization],
      ] as const) {
        if (text !== "" && !isName(text)) {
          throw new Failure(
            "INVALID_FIELD",
            `The ${field} must have at most 100 characters and no control characters.`,
          );
        }
      }
      const name = typed.name || (email.split("@")[0] ?? email).slice(0, MAX_NAME_LENGTH);
      const now = services.now();
      const passwordHash = await hashNewPassword(services, form.get("password") ?? "", { email, name });
      const claims = await runUnauthenticated(services.db, async (transaction) => {
        // The lock makes a second submission wait, and it then finds the account of the first.
        if (!(await isEmptyInstallation(transaction))) return null;
        const created = await createPerson(transaction, services, origin, {
          email,
          name,
          passwordHash,
          organizationName: typed.organization || null,
          invitationDigest: null,
          role: "admin",
          isEmailVerified: true,
          authenticatedAt: now,
        });
        if (created.kind !== "created") return null;
        const { userId } = created.account;
        await writeAudit(transaction, {
          organizationId: null,
          actor: { type: "user", id: userId, email, ...origin },
          action: "server.set_up",
          target: { type: "user", id: String(userId) },
        });
        return created.claims;
      });
      if (claims === null) return this.#toSignIn();
      this.#hasAccounts = true;
      const { token } = await services.tokens.issue(claims);
      const device = readDevice(request.headers.cookie, services);
      const cookies = signedInCookies(services, { token, lifeMs: SESSION_LIFE_MS, userId: claims.userId, device });
      return redirect(`${services.settings().rootPath}/ui/`, cookies);
    } catch (error) {
      const failure = toFailure(error, (unexpected) =>
        services.logger.error("first-start setup failed unexpectedly", { error: unexpected }),
      );
      const { "www-authenticate": _, ...headers } = failureHeaders(failure);
      const trouble = troubles[failure.code] ?? failure.message;
      const answer = renderSetup(services, { status: failure.status, trouble, ...typed });
      return { ...answer, headers: { ...answer.headers, ...headers } };
    }
  }

  #toSignIn(): PageAnswer {
    return redirect(`${this.#frame.services.settings().rootPath}/ui/login`);
  }
}

const troubles: Partial<Record<FailureCode, string>> = {
  CROSS_ORIGIN: "This form was sent by another site. Use this page.",
  DB_TIMEOUT: "The database is unavailable. Try again shortly.",
};

interface SetupForm {
  readonly status: number;
  readonly trouble: string | null;
  readonly email: string;
  readonly name: string;
  readonly organization: string;
}

function renderSetup(services: Services, { status, trouble, email, name, organization }: SetupForm): PageAnswer {
  const { rootPath, auth } = services.settings();
  const alert: Html = trouble === null ? html`` : html`<p class="trouble" role="alert" id="trouble">${trouble}</p>\n`;
  return plainPage(
    status,
    "Set up",
    html`<h1>Set up this server</h1>
<p>This server has no accounts yet. Create its administrator. This page works once.</p>
<form class="panel" method="post" action="${rootPath}/ui/setup">
${alert}<label for="token">Setup token or master key</label>
<input id="token" name="token" type="password" autocomplete="off" maxlength="1024" required>
<label for="username">Email</label>
<input id="username" name="username" type="email" autocomplete="username" value="${email}" maxlength="254" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${String(auth.passwordMinLength)}" maxlength="1024" required>
<label for="name">Your name (optional)</label>
<input id="name" name="name" autocomplete="name" value="${name}" maxlength="100">
<label for="organization">Organization (optional)</label>
<input id="organization" name="organization" autocomplete="organization" value="${organization}" maxlength="100">
<button type="submit">Create administrator</button>
</form>
<ul>
<li><code>tollgate serve</code> prints the setup token when it starts.</li>
<li>You can also run <code>tollgate admin create</code> on the server.</li>
</ul>`,
  );
}
