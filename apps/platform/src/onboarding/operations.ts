import { invalidField } from "@tollgate/contracts/management/failure.ts";
import {
  OnboardingAnswer,
  OnboardingChange,
  type OnboardingStepName,
  onboardingSteps,
} from "@tollgate/contracts/management/onboarding.ts";
import { changeOnboarding, type OnboardingState, readOnboarding } from "@tollgate/db/onboarding/onboarding.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";
import { type ManagementOperation, operation, read, write } from "../operation.ts";
import { requirePermission } from "../organizations/enter-own-organization.ts";

const getOnboarding = operation({
  ...read,
  id: "getOnboarding",
  summary: "Get the setup checklist of the organization",
  tag: "organizations",
  path: "/api/gw/onboarding",
  auth: "user",
  scope: "organization",
  answers: { 200: { description: "The steps and their status", schema: OnboardingAnswer } },
  handle: async ({ caller }, transaction) => {
    return {
      status: 200,
      body: describe(await readOnboarding(transaction, caller.organization.id), caller.organization.role),
    };
  },
});

const updateOnboarding = operation({
  ...write,
  method: "PATCH",
  id: "updateOnboarding",
  summary: "Skip a setup checklist step, or dismiss the checklist",
  tag: "organizations",
  path: "/api/gw/onboarding",
  auth: "user",
  scope: "organization",
  idempotency: "none",
  body: OnboardingChange,
  answers: { 200: { description: "The updated checklist", schema: OnboardingAnswer } },
  handle: async ({ caller, body: { skip, dismissed } }, transaction, { now }) => {
    requirePermission({ organization: caller.organization.role }, "edit_organization");
    if (skip === undefined && dismissed === undefined) throw invalidField("skip", "or dismissed is required");
    const { id, role } = caller.organization;
    await changeOnboarding(transaction, id, { skip, isDismissed: dismissed }, now());
    return { status: 200, body: describe(await readOnboarding(transaction, id), role) };
  },
});

export const onboardingOperations: readonly ManagementOperation[] = [getOnboarding, updateOnboarding];

function describe(state: OnboardingState, role: OrganizationRole) {
  // The first key may belong to a team that the caller can't see.
  const keyName = may({ organization: role }, "see_all_teams") ? state.firstKeyName : null;
  const isDone: Readonly<Record<OnboardingStepName, boolean>> = {
    create_key: state.firstKeyName !== null,
    send_request: state.hasCalled,
    add_credits: state.hasCredit,
    invite_teammate: state.hasCompany,
    set_alert: state.hasAlert,
  };
  const steps = onboardingSteps.map((id) => ({
    id,
    done: isDone[id],
    skipped: state.skipped.includes(id),
    detail: id === "create_key" ? keyName : null,
  }));
  return { onboarding: { steps, dismissed: state.isDismissed } };
}
