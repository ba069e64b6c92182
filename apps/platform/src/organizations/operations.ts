import type { ManagementOperation } from "../operation.ts";
import { closeOrganizationOperation } from "./close-organization.ts";
import { createOrganizationOperation } from "./create-organization.ts";
import { exportOrganizationOperation } from "./export-organization.ts";
import { inviteMemberOperation } from "./invite-member.ts";
import { listOrganizationInvitationsOperation } from "./list-invitations.ts";
import { listMembersOperation } from "./list-members.ts";
import { listOrganizationsOperation } from "./list-organizations.ts";
import { removeMemberOperation } from "./remove-member.ts";
import { updateMemberOperation } from "./update-member.ts";
import { updateOrganizationOperation } from "./update-organization.ts";

export const organizationOperations: readonly ManagementOperation[] = [
  listOrganizationsOperation,
  createOrganizationOperation,
  updateOrganizationOperation,
  listMembersOperation,
  listOrganizationInvitationsOperation,
  inviteMemberOperation,
  removeMemberOperation,
  updateMemberOperation,
  exportOrganizationOperation,
  closeOrganizationOperation,
];
