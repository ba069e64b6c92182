import { acceptInvitation, type Invitation } from "@tollgate/db/accounts/accept-invitation.ts";
import { type Account, createAccount } from "@tollgate/db/accounts/create-account.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Origin } from "../caller.ts";
import type { Services } from "../services.ts";
import { openSession } from "./open-session.ts";
import type { SessionClaims } from "./token-issuer.ts";

export interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly organizationName: string | null;
  /** Invitation token digest; null without an invitation. */
  readonly invitationDigest: Buffer | null;
  readonly role: "user" | "admin";
  readonly isEmailVerified: boolean;
  /** Time of the password entry; null if the user signed in with a link. */
  readonly authenticatedAt: Date | null;
}

export type PersonOutcome =
  | {
      readonly kind: "created";
      readonly account: Account;
      readonly claims: SessionClaims;
      readonly activeOrganizationId: string;
      /** Accepted invitation; null if there was none or it has expired. */
      readonly invitation: Invitation | null;
    }
  | { readonly kind: "email_taken" };

/** Creates a user with an organization and a team, and opens a session, in one unauthenticated transaction. */
export async function createPerson(
  transaction: TenantTransaction,
  services: Services,
  origin: Origin,
  person: NewPerson,
): Promise<PersonOutcome> {
  const now = services.now();
  const { email, name, role, passwordHash, organizationName, isEmailVerified } = person;
  const { signUp } = services.settings();
  const account = await createAccount(transaction, {
    email,
    name,
    role,
    passwordHash,
    organizationName,
    isEmailVerified,
    hasDefaultTeam: signUp.defaultTeam,
    welcomeGrant: signUp.grantNanoUsd,
    now,
  });
  if (account.kind === "email_taken") return account;
  const { userId } = account;
  const invitation = await join(transaction, services, origin, userId, person);
  const activeOrganizationId = invitation?.organizationId ?? account.organization.id;
  const claims = await openSession(transaction, services, origin, {
    userId,
    role,
    authenticatedAt: person.authenticatedAt,
    organizationId: activeOrganizationId,
  });
  await writeAudit(transaction, {
    organizationId: null,
    actor: { type: "user", id: userId, email, ...origin },
    action: "user.signed_up",
    target: { type: "user", id: String(userId) },
    after: { role, organizationId: account.organization.id, teamId: account.team?.id ?? null },
    personal: { after: { name, organizationName: account.organization.name } },
  });
  return { kind: "created", account, claims, activeOrganizationId, invitation };
}

async function join(
  transaction: TenantTransaction,
  services: Services,
  origin: Origin,
  userId: number,
  { invitationDigest, email }: NewPerson,
): Promise<Invitation | null> {
  if (invitationDigest === null) return null;
  const by = { tokenDigest: invitationDigest };
  const outcome = await acceptInvitation(transaction, { by, userId, email, now: services.now() });
  if (outcome.kind === "unknown") return null;
  const { organizationId, teamId, role } = outcome;
  await addEvent(transaction, organizationId, "member.added", { userId, teamId, role });
  await writeAudit(transaction, {
    organizationId,
    actor: { type: "user", id: userId, email, ...origin },
    action: "member.added",
    target: { type: "user", id: String(userId) },
    after: { teamId, role, invitationId: outcome.invitationId },
  });
  return outcome;
}
