import {
  AddMembersRequest,
  BlockTeamRequest,
  DeletedTeams,
  DeleteMemberRequest,
  DeleteTeamsRequest,
  NewTeamRequest,
  TeamRecord,
  UpdateMemberRequest,
  UpdateTeamRequest,
} from "@tollgate/contracts/administration/team-management.ts";
import { answerJson, type KeyedOperation } from "../edge/api-operation.ts";
import { describeTeam } from "./describe-record.ts";
import { changeFailures, managementOf, managementRules, managerOf } from "./management-rules.ts";
import { refuseUnknown } from "./read-fields.ts";
import { readMember, readPerson, readTeamPatch } from "./team-patch.ts";

const change = { ...managementRules, method: "POST" } as const;
const answers = { 200: { description: "The updated team.", schema: TeamRecord }, ...changeFailures };

/** Creates a team in an organization. */
export const newTeam: KeyedOperation<unknown, NewTeamRequest> = {
  ...change,
  id: "createTeam",
  summary: "Create a team",
  paths: ["/team/new"],
  body: NewTeamRequest,
  answers,

  async handle({ caller, callId, body }, context) {
    const members = (body.members_with_roles ?? []).map(readMember);
    const patch = readTeamPatch(body, context.current().settings);
    return answerJson(describeTeam(await managementOf(context).createTeam(managerOf(caller, callId), patch, members)));
  },
};

/** Updates only the fields in the body. */
export const updateTeam: KeyedOperation<unknown, UpdateTeamRequest> = {
  ...change,
  id: "updateTeam",
  summary: "Update a team",
  paths: ["/team/update"],
  body: UpdateTeamRequest,
  answers,

  async handle({ caller, callId, body }, context) {
    const patch = readTeamPatch(body, context.current().settings);
    return answerJson(
      describeTeam(await managementOf(context).updateTeam(managerOf(caller, callId), body.team_id, patch)),
    );
  },
};

/** Deletes teams and revokes their keys. */
export const deleteTeams: KeyedOperation<unknown, DeleteTeamsRequest> = {
  ...change,
  id: "deleteTeams",
  summary: "Delete teams and revoke their keys, either all of them or none",
  paths: ["/team/delete"],
  body: DeleteTeamsRequest,
  answers: { 200: { description: "The deleted teams.", schema: DeletedTeams }, ...changeFailures },

  async handle({ caller, callId, body }, context) {
    refuseUnknown(body, DeleteTeamsRequest.properties);
    await managementOf(context).deleteTeams(managerOf(caller, callId), body.team_ids);
    return answerJson({ deleted_teams: body.team_ids });
  },
};

/** Blocks a team. Its calls are refused, regardless of its balance. */
export const blockTeam = blockOperation("blockTeam", "Block a team regardless of its balance", "/team/block", true);
export const unblockTeam = blockOperation("unblockTeam", "Unblock a team", "/team/unblock", false);

/** Adds members of the organization to a team. */
export const addTeamMembers: KeyedOperation<unknown, AddMembersRequest> = {
  ...change,
  id: "addTeamMembers",
  summary: "Add organization members to a team",
  paths: ["/team/member_add"],
  body: AddMembersRequest,
  answers,

  async handle({ caller, callId, body }, context) {
    refuseUnknown(body, AddMembersRequest.properties);
    const members = (Array.isArray(body.member) ? body.member : [body.member]).map(readMember);
    return answerJson(
      describeTeam(await managementOf(context).addMembers(managerOf(caller, callId), body.team_id, members)),
    );
  },
};

/** Changes a team member's role. */
export const updateTeamMember: KeyedOperation<unknown, UpdateMemberRequest> = {
  ...change,
  id: "updateTeamMember",
  summary: "Update a team member's role",
  paths: ["/team/member_update"],
  body: UpdateMemberRequest,
  answers,

  async handle({ caller, callId, body }, context) {
    refuseUnknown(body, UpdateMemberRequest.properties);
    return answerJson(
      describeTeam(await managementOf(context).updateMember(managerOf(caller, callId), body.team_id, readMember(body))),
    );
  },
};

/** Removes a member from a team. */
export const deleteTeamMember: KeyedOperation<unknown, DeleteMemberRequest> = {
  ...change,
  id: "deleteTeamMember",
  summary: "Remove a member from a team but not from the organization (their keys keep working)",
  paths: ["/team/member_delete"],
  body: DeleteMemberRequest,
  answers,

  async handle({ caller, callId, body }, context) {
    refuseUnknown(body, DeleteMemberRequest.properties);
    return answerJson(
      describeTeam(await managementOf(context).removeMember(managerOf(caller, callId), body.team_id, readPerson(body))),
    );
  },
};

function blockOperation(
  id: string,
  summary: string,
  path: string,
  isBlocked: boolean,
): KeyedOperation<unknown, BlockTeamRequest> {
  return {
    ...change,
    id,
    summary,
    paths: [path],
    body: BlockTeamRequest,
    answers,

    async handle({ caller, callId, body }, context) {
      refuseUnknown(body, BlockTeamRequest.properties);
      return answerJson(
        describeTeam(await managementOf(context).updateTeam(managerOf(caller, callId), body.team_id, { isBlocked })),
      );
    },
  };
}
