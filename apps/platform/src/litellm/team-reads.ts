import {
  TeamInfoAnswer,
  TeamInfoQuery,
  TeamListAnswer,
  TeamListQuery,
} from "@tollgate/contracts/administration/team-management.ts";
import { answerJson, type KeyedOperation } from "../edge/api-operation.ts";
import { describeKey, describeTeam } from "./describe-record.ts";
import { managementFailures, managementOf, managementReadRules, managerOf } from "./management-rules.ts";
import { pageHeaders } from "./page-headers.ts";
import { readUserId } from "./read-fields.ts";

const DEFAULT_SIZE = 100;

/** Returns a team with its members and keys. */
export const teamInfo: KeyedOperation<TeamInfoQuery> = {
  ...managementReadRules,
  id: "getTeamInfo",
  summary: "Get a team with its members and keys",
  paths: ["/team/info"],
  query: TeamInfoQuery,
  answers: { 200: { description: "The team.", schema: TeamInfoAnswer }, ...managementFailures },

  async handle({ caller, callId, query }, context) {
    const { team, keys } = await managementOf(context).findTeam(managerOf(caller, callId), query.team_id);
    return answerJson({ team_id: team.id, team_info: describeTeam(team), keys: keys.map(describeKey) });
  },
};

/** Lists the teams that the caller can see. */
export const teamList: KeyedOperation<TeamListQuery> = {
  ...managementReadRules,
  id: "listTeams",
  summary: "List teams of the caller, its organization, or all organizations",
  paths: ["/team/list"],
  query: TeamListQuery,
  answers: {
    200: {
      description: "A page of teams, newest first. Headers contain the total count.",
      schema: TeamListAnswer,
    },
    ...managementFailures,
  },

  async handle({ caller, callId, query }, context) {
    const page = { page: query.page ?? 1, pageSize: query.page_size ?? DEFAULT_SIZE };
    const filter = {
      organizationId: query.organization_id ?? null,
      userId: typeof query.user_id === "string" ? readUserId("user_id", query.user_id) : null,
      name: query.team_alias ?? null,
    };
    const { items, total } = await managementOf(context).listTeams(managerOf(caller, callId), filter, page);
    return pageHeaders(answerJson(items.map(describeTeam)), page, total);
  },
};
