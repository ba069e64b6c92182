import { changeFailures, managementRules } from "@tollgate/contracts/administration/management-rules.ts";
import {
  AddMembersRequest,
  BlockTeamRequest,
  DeletedTeams,
  DeleteMemberRequest,
  DeleteTeamsRequest,
  NewTeamRequest,
  TeamRecord,
  UpdatedTeam,
  UpdateMemberRequest,
  UpdateTeamRequest,
} from "@tollgate/contracts/administration/team-management.ts";
import type { ManagedTeam } from "@tollgate/db/teams/managed-teams.ts";
import { describeTeam } from "./describe-record.ts";
import {
  answerJson,
  type LitellmAnswer,
  type LitellmContext,
  type LitellmOperation,
  runFor,
} from "./litellm-operation.ts";
import * as teams from "./manage-teams.ts";
import { refuseUnknown } from "./read-fields.ts";
import type { OwnerContext } from "./run-as-key-creator.ts";
import { readMember, readPerson, readTeamPatch } from "./team-patch.ts";

const change = { ...managementRules, method: "POST" } as const;
const answers = { 200: { description: "The updated team.", schema: TeamRecord }, ...changeFailures };

/** Creates a team in an organization. */
export const newTeam: LitellmOperation<unknown, NewTeamRequest> = {
  ...change,
  id: "createTeam",
  summary: "Create a team",
  paths: ["/team/new"],
  body: NewTeamRequest,
  answers,

  async handle(input, context) {
    const members = (input.body.members_with_roles ?? []).map(readMember);
    const patch = readTeamPatch(input.body, NewTeamRequest.properties, context.current().settings);
    return answerTeam(input, context, (acting) => teams.createTeam(acting, patch, members));
  },
};

/** Updates only the fields in the body. */
export const updateTeam: LitellmOperation<unknown, UpdateTeamRequest> = {
  ...change,
  id: "updateTeam",
  summary: "Update a team",
  paths: ["/team/update"],
  body: UpdateTeamRequest,
  answers: { ...answers, 200: { description: "The updated team.", schema: UpdatedTeam } },

  async handle(input, context) {
    const patch = readTeamPatch(input.body, UpdateTeamRequest.properties, context.current().settings);
    const team = await runFor(input, context, (acting) => teams.updateTeam(acting, input.body.team_id, patch));
    const described = describeTeam(team);
    return answerJson({ ...described, data: described });
  },
};

/** Deletes teams and revokes their keys. */
export const deleteTeams: LitellmOperation<unknown, DeleteTeamsRequest> = {
  ...change,
  id: "deleteTeams",
  summary: "Delete teams and revoke their keys, either all of them or none",
  paths: ["/team/delete"],
  body: DeleteTeamsRequest,
  answers: { 200: { description: "The deleted teams.", schema: DeletedTeams }, ...changeFailures },

  async handle(input, context) {
    const { team_ids: teamIds } = input.body;
    refuseUnknown(input.body, DeleteTeamsRequest.properties);
    await runFor(input, context, (acting) => teams.deleteTeams(acting, teamIds));
    return answerJson({ deleted_teams: teamIds });
  },
};

/** Blocks a team. Its calls are refused, regardless of its balance. */
export const blockTeam = blockOperation("blockTeam", "Block a team regardless of its balance", "/team/block", true);
export const unblockTeam = blockOperation("unblockTeam", "Unblock a team", "/team/unblock", false);

/** Adds members of the organization to a team. */
export const addTeamMembers: LitellmOperation<unknown, AddMembersRequest> = {
  ...change,
  id: "addTeamMembers",
  summary: "Add organization members to a team",
  paths: ["/team/member_add"],
  body: AddMembersRequest,
  answers,

  async handle(input, context) {
    const { member, team_id: teamId } = input.body;
    refuseUnknown(input.body, AddMembersRequest.properties);
    const members = (Array.isArray(member) ? member : [member]).map(readMember);
    return answerTeam(input, context, (acting) => teams.addMembers(acting, teamId, members));
  },
};

/** Changes a team member's role. */
export const updateTeamMember: LitellmOperation<unknown, UpdateMemberRequest> = {
  ...change,
  id: "updateTeamMember",
  summary: "Update a team member's role",
  paths: ["/team/member_update"],
  body: UpdateMemberRequest,
  answers,

  async handle(input, context) {
    refuseUnknown(input.body, UpdateMemberRequest.properties);
    const member = readMember(input.body);
    return answerTeam(input, context, (acting) => teams.updateMember(acting, input.body.team_id, member));
  },
};

/** Removes a member from a team. */
export const deleteTeamMember: LitellmOperation<unknown, DeleteMemberRequest> = {
  ...change,
  id: "deleteTeamMember",
  summary: "Remove a member from a team but not from the organization (their keys keep working)",
  paths: ["/team/member_delete"],
  body: DeleteMemberRequest,
  answers,

  async handle(input, context) {
    refuseUnknown(input.body, DeleteMemberRequest.properties);
    const person = readPerson(input.body);
    return answerTeam(input, context, (acting) => teams.removeMember(acting, input.body.team_id, person));
  },
};

function blockOperation(
  id: string,
  summary: string,
  path: string,
  isBlocked: boolean,
): LitellmOperation<unknown, BlockTeamRequest> {
  return {
    ...change,
    id,
    summary,
    paths: [path],
    body: BlockTeamRequest,
    answers,

    async handle(input, context) {
      refuseUnknown(input.body, BlockTeamRequest.properties);
      return answerTeam(input, context, (acting) => teams.updateTeam(acting, input.body.team_id, { isBlocked }));
    },
  };
}

/** Changes a team and describes it. */
async function answerTeam(
  input: Parameters<typeof runFor>[0],
  context: LitellmContext,
  change: (acting: OwnerContext) => Promise<ManagedTeam>,
): Promise<LitellmAnswer> {
  return answerJson(describeTeam(await runFor(input, context, change)));
}
