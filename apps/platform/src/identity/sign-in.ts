import { Failure } from "@tollgate/contracts/failures.ts";
import type { LoginAccount } from "@tollgate/db/accounts/find-login.ts";
import { noteLogin } from "@tollgate/db/accounts/insert-session.ts";
import { addUserToken } from "@tollgate/db/accounts/user-tokens.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { makeLinkToken } from "@tollgate/domain/identity/link-token.ts";
import type { Origin } from "../caller.ts";
import { makeLink, sendMail } from "../mail.ts";
import type { Services } from "../services.ts";
import { logIn } from "./log-in.ts";
import type { SessionClaims } from "./token-issuer.ts";
import { type Login, withLogin } from "./with-login.ts";

export const VERIFY_LINK_MS = 24 * 3_600_000;

/** Opens a session if the password is correct. Returns unsigned token claims. */
export async function signIn(services: Services, origin: Origin, login: Login): Promise<SessionClaims> {
  const claims = await withLogin(services, origin, login, async (transaction, account) => {
    if (services.settings().signUp.verifyEmail && !account.isEmailVerified) {
      await sendVerification(transaction, services, account);
      return null;
    }
    const { userId, role, email } = account;
    const now = services.now();
    await noteLogin(transaction, userId, now);
    return logIn(transaction, services, origin, { userId, role, email, authenticatedAt: now });
  });
  if (claims === null) {
    throw new Failure("EMAIL_UNVERIFIED", "Verify your email address first. Follow the link in the email we sent.");
  }
  return claims;
}

async function sendVerification(
  transaction: TenantTransaction,
  services: Services,
  { email }: LoginAccount,
): Promise<void> {
  const now = services.now();
  const { token, digest } = makeLinkToken();
  const expiresAt = new Date(now.getTime() + VERIFY_LINK_MS);
  const isAdded = await addUserToken(transaction, { digest, email, purpose: "verify_email", now, expiresAt });
  if (!isAdded) return;
  const link = makeLink(services.settings(), "ui/verify-email", token);
  await sendMail(transaction, services, { to: email, template: "verify_email", data: { link } });
}
