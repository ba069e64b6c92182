import { createHash, timingSafeEqual } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { SentResponse, SignUpRequest, SignUpResponse } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { findInvitation } from "@tollgate/db/accounts/accept-invitation.ts";
import { isEmptyInstallation } from "@tollgate/db/accounts/create-account.ts";
import { addSignUp } from "@tollgate/db/accounts/sign-ups.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { digestLinkToken, makeLinkToken } from "@tollgate/domain/identity/link-token.ts";
import { normalizeEmail } from "@tollgate/domain/identity/normalize-email.ts";
import type { Static } from "typebox";
import type { Origin } from "../caller.ts";
import { makeLink, sendMail } from "../mail.ts";
import { type Answer, operation, write } from "../operation.ts";
import type { Services } from "../services.ts";
import { createPerson, type NewPerson, type PersonOutcome } from "./create-person.ts";
import { hashNewPassword } from "./hash-new-password.ts";
import { VERIFY_LINK_MS } from "./sign-in.ts";

type Applicant = Omit<NewPerson, "role" | "isEmailVerified">;

export const signUp = operation({
  ...write,
  id: "signUp",
  summary: "Create an account and an organization",
  tag: "identity",
  path: "/api/auth/sign-up",
  auth: "none",
  scope: "own",
  rate: "sign-up",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: SignUpRequest,
  answers: {
    201: { description: "The new account, signed in", schema: SignUpResponse },
    202: { description: "An email was sent, whether or not the address already has an account", schema: SentResponse },
  },
  handle: async ({ body, origin }, services) => {
    const { mode, verifyEmail } = services.settings().signUp;
    const isBootstrap = body.bootstrapSecret !== undefined;
    if (!isBootstrap) checkMode(mode, body.inviteToken !== undefined);
    else checkBootstrapSecret(services, body.bootstrapSecret ?? "");
    const applicant = await readApplicant(body, services);
    if (verifyEmail && !isBootstrap) return applyByMail(applicant, services);
    return applyAtOnce(applicant, isBootstrap, origin, services);
  },
});

async function applyAtOnce(
  applicant: Applicant,
  isBootstrap: boolean,
  origin: Origin,
  services: Services,
): Promise<Answer> {
  const outcome = await runUnauthenticated(services.db, async (transaction) => {
    if (isBootstrap && !(await isEmptyInstallation(transaction))) throw refuseBootstrap();
    const role = isBootstrap ? "admin" : "user";
    // If email is configured, invitations are sent only by email, so holding the token proves access to the invited
    // mailbox.
    const hasReadMail = applicant.invitationDigest !== null && services.settings().mail.url !== null;
    const isEmailVerified = isBootstrap || hasReadMail || services.settings().signUp.trustsAddresses;
    const created = await createPerson(transaction, services, origin, { ...applicant, role, isEmailVerified });
    // Throwing here rolls back the entire transaction.
    if (created.kind === "created" && applicant.invitationDigest !== null && created.invitation === null) {
      throw unknownObject("invitation");
    }
    return created;
  });
  if (outcome.kind === "email_taken") {
    throw new Failure("EMAIL_TAKEN", "An account with this email address already exists. Sign in instead.");
  }
  return { status: 201, body: await describePerson(applicant, outcome, services) };
}

/**
 * Creates no account until the user follows the link. Until then, taken and unused email addresses get the same
 * response.
 */
async function applyByMail(applicant: Applicant, services: Services): Promise<Answer> {
  const now = services.now();
  const { token, digest } = makeLinkToken();
  await runUnauthenticated(services.db, async (transaction) => {
    const { email, invitationDigest } = applicant;
    if (invitationDigest !== null) {
      const invitation = await findInvitation(transaction, { tokenDigest: invitationDigest }, email, now);
      if (invitation === null) throw unknownObject("invitation");
    }
    const expiresAt = new Date(now.getTime() + VERIFY_LINK_MS);
    const template = await addSignUp(transaction, { ...applicant, digest, now, expiresAt });
    const page = template === "account_exists" ? `${services.settings().publicUrl ?? ""}/ui/login` : null;
    const link = page ?? makeLink(services.settings(), "ui/verify-email", token);
    await sendMail(transaction, services, {
      to: template === null ? null : email,
      template: template ?? "verify_email",
      data: { link },
    });
  });
  return { status: 202, body: { status: "verification_sent" } };
}

async function readApplicant(body: Static<typeof SignUpRequest>, services: Services): Promise<Applicant> {
  const email = normalizeEmail(body.email);
  if (email === null) throw invalidField("email", "is not a valid email address");
  const name =
    body.name?.trim() ||
    Array.from(email.split("@")[0] ?? email)
      .slice(0, 100)
      .join("");
  return {
    email,
    name,
    passwordHash: await hashNewPassword(services, body.password, { email, name }),
    organizationName: body.organizationName?.trim() || null,
    invitationDigest: body.inviteToken === undefined ? null : digestLinkToken(body.inviteToken),
    authenticatedAt: services.now(),
  };
}

async function describePerson(
  { email, name }: Applicant,
  { account, claims, activeOrganizationId }: Extract<PersonOutcome, { kind: "created" }>,
  services: Services,
): Promise<Static<typeof SignUpResponse>> {
  const { organization, team } = account;
  return {
    user: { id: account.userId, email, name, role: claims.role === "admin" ? "admin" : "user" },
    organization: { ...organization, personal: true },
    team: team === null ? null : { ...team, status: "active" },
    activeOrganizationId,
    ...(await services.tokens.issue(claims)),
  };
}

function checkMode(mode: "open" | "invite" | "closed", isInvited: boolean): void {
  if (mode === "open" || (mode === "invite" && isInvited)) return;
  const fix = mode === "invite" ? "Ask a member for an invitation." : "Ask the operator for an account.";
  throw new Failure("SIGN_UP_CLOSED", `Sign-up is not open on this server (signUp.mode: ${mode}). ${fix}`);
}

function checkBootstrapSecret(services: Services, shown: string): void {
  const wanted = services.settings().signUp.bootstrapSecret;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const isRight = timingSafeEqual(digest(shown), digest(wanted?.reveal() ?? ""));
  if (wanted === null || !isRight) throw refuseBootstrap();
}

function refuseBootstrap(): Failure {
  return invalidField("bootstrapSecret", "is wrong, or this server already has its first account");
}
