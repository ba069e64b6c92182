import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { OrganizationAnswer, OrganizationChange, toOrganization } from "@tollgate/contracts/management/organization.ts";
import { readTimeZone } from "@tollgate/contracts/management/time-zone.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { findOrganization, type OrganizationOfMember } from "@tollgate/db/organizations/list-organizations.ts";
import { type OrganizationChanges, updateOrganization } from "@tollgate/db/organizations/update-organization.ts";
import { normalizeEmail } from "@tollgate/domain/identity/normalize-email.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { nameTaken } from "./create-organization.ts";
import { enterOwnOrganization, requirePermission } from "./enter-own-organization.ts";

const DEFAULT_LOG_RETENTION_DAYS = 90;
/** Fields that may identify a person. The audit log stores them separately. */
const personalFields: ReadonlySet<string> = new Set(["name", "billingEmail"]);

export const updateOrganizationOperation = operation({
  ...write,
  method: "PUT",
  idempotency: "none",
  id: "updateOrganization",
  summary: "Update an organization's name, billing email, and settings",
  tag: "organizations",
  path: "/api/gw/organizations",
  auth: "user",
  scope: "user",
  body: OrganizationChange,
  answers: { 200: { description: "The updated organization", schema: OrganizationAnswer } },
  handle: async (input, transaction, { now }) => {
    const { caller, body } = input;
    if (body.id !== undefined && body.organizationId !== undefined && body.id !== body.organizationId) {
      throw invalidField("id", "and organizationId name different organizations");
    }
    const id = body.organizationId ?? body.id ?? caller.organization?.id;
    if (id === undefined) {
      throw new Failure(
        "NO_ACTIVE_ORGANIZATION",
        "organizationId is required because you have no active organization.",
      );
    }
    const wanted = readChanges(body);
    const roles = await enterOwnOrganization(transaction, caller, id);
    // Callers without permission get 404 for an organization other than the active one, so that its existence isn't
    // revealed.
    if (id !== caller.organization?.id && !may(roles, "edit_organization")) throw unknownObject("organization");
    requirePermission(roles, "edit_organization");
    const before = await findOrganization(transaction, id, caller.userId);
    if ((await updateOrganization(transaction, id, wanted, now())) === "name_taken") throw nameTaken();
    const after = await findOrganization(transaction, id, caller.userId);
    if (before === null || after === null) throw unknownObject("organization");
    await writeAudit(transaction, {
      organizationId: id,
      actor: actorOf(input),
      action: "org.updated",
      target: { type: "organization", id },
      before: pickFields(before, wanted, false),
      after: pickFields(after, wanted, false),
      personal: { before: pickFields(before, wanted, true), after: pickFields(after, wanted, true) },
      subjects: after.ownerId === null ? [] : [after.ownerId],
    });
    return { status: 200, body: { organization: toOrganization(after, caller.organization?.id ?? null) } };
  },
});

function readChanges({ name, billingEmail, settings = {} }: OrganizationChange): OrganizationChanges {
  const { lowBalanceThreshold, logPrompts, logRetentionDays, timezone } = settings;
  const changes: OrganizationChanges = {
    ...(name !== undefined && { name }),
    ...(billingEmail !== undefined && { billingEmail: readEmail(billingEmail) }),
    ...(lowBalanceThreshold !== undefined && { lowBalanceThreshold }),
    ...(logPrompts !== undefined && { logPrompts: logPrompts ?? false }),
    ...(logRetentionDays !== undefined && { logRetentionDays: logRetentionDays ?? DEFAULT_LOG_RETENTION_DAYS }),
    ...(timezone !== undefined && { timezone: readTimeZone("settings.timezone", timezone ?? "UTC") }),
  };
  if (lowBalanceThreshold !== undefined && lowBalanceThreshold !== null && lowBalanceThreshold < 0n) {
    throw invalidField("settings.lowBalanceThreshold", "must not be negative");
  }
  if (Object.keys(changes).length === 0) {
    throw new Failure("INVALID_FIELD", "Send at least one of name, billingEmail, and settings.");
  }
  return changes;
}

function readEmail(text: string | null): string | null {
  if (text === null) return null;
  const email = normalizeEmail(text);
  if (email === null) throw invalidField("billingEmail", "is not a valid email address");
  return email;
}

function pickFields(
  organization: OrganizationOfMember,
  changes: OrganizationChanges,
  isPersonal: boolean,
): Record<string, unknown> {
  const names = (Object.keys(changes) as (keyof OrganizationChanges)[]).filter(
    (name) => personalFields.has(name) === isPersonal,
  );
  return Object.fromEntries(names.map((name) => [name, organization[name]]));
}
