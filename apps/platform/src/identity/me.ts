import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { ActiveOrganizationRequest, MeResponse } from "@tollgate/contracts/management/identity.ts";
import { OrganizationAnswer, toOrganization } from "@tollgate/contracts/management/organization.ts";
import { activateOrganization } from "@tollgate/db/accounts/sessions.ts";
import { findOrganization } from "@tollgate/db/organizations/list-organizations.ts";
import { operation, read, write } from "../operation.ts";

export const getMe = operation({
  ...read,
  id: "getMe",
  summary: "Get the current user and active organization",
  tag: "identity",
  path: "/api/auth/me",
  auth: "user",
  scope: "own",
  answers: { 200: { description: "The current user and session", schema: MeResponse } },
  handle: async ({ caller }) => {
    const { userId, email, name, role, sessionId, sessionExpiresAt, organization } = caller;
    const body = {
      user: { id: userId, email, name, role, emailVerified: caller.isEmailVerified, totpEnabled: caller.hasTotp },
      activeOrganizationId: organization?.id ?? null,
      session: { id: sessionId, expiresAt: sessionExpiresAt },
    };
    return { status: 200, body };
  },
});

export const updateActiveOrganization = operation({
  ...write,
  method: "PUT",
  id: "updateActiveOrganization",
  summary: "Set the session's active organization",
  tag: "identity",
  path: "/api/auth/active-organization",
  auth: "user",
  scope: "user",
  idempotency: "none",
  body: ActiveOrganizationRequest,
  answers: { 200: { description: "The active organization", schema: OrganizationAnswer } },
  handle: async ({ caller, body: { organizationId } }, transaction) => {
    const { userId, sessionId } = caller;
    const isMember = await activateOrganization(transaction, userId, sessionId, organizationId);
    const organization = isMember ? await findOrganization(transaction, organizationId, userId) : null;
    if (organization === null) throw unknownObject("organization");
    return { status: 200, body: { organization: toOrganization(organization, organizationId) } };
  },
});
