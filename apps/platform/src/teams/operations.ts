import type { ManagementOperation } from "../operation.ts";
import { createTeamOperation } from "./create-team-operation.ts";
import { deleteTeamOperation } from "./delete-team-operation.ts";
import { getTeamOperation } from "./get-team.ts";
import { inviteTeamMemberOperation } from "./invite-member.ts";
import { listTeamsOperation } from "./list-teams.ts";
import { removeTeamMemberOperation } from "./remove-member.ts";
import { updateTeamMemberOperation } from "./update-member.ts";
import { updateTeamOperation } from "./update-team-operation.ts";

export const teamOperations: readonly ManagementOperation[] = [
  listTeamsOperation,
  createTeamOperation,
  getTeamOperation,
  updateTeamOperation,
  deleteTeamOperation,
  inviteTeamMemberOperation,
  removeTeamMemberOperation,
  updateTeamMemberOperation,
];
