import { managementFailures, managementReadRules } from "@tollgate/contracts/administration/management-rules.ts";
import {
  TeamInfoAnswer,
  TeamInfoQuery,
  TeamListAnswer,
  TeamListQuery,
} from "@tollgate/contracts/administration/team-management.ts";
import { describeKey, describeTeam } from "./describe-record.ts";
import { answerJson, type LitellmOperation, runFor } from "./litellm-operation.ts";
import { findTeam, listTeams } from "./manage-teams.ts";
import { pageHeaders } from "./page-headers.ts";
import { readUserId } from "./read-fields.ts";

const DEFAULT_SIZE = 100;

/** Returns a team with its members and keys. */
export const teamInfo: LitellmOperation<TeamInfoQuery> = {
  ...managementReadRules,
  id: "getTeamInfo",
  summary: "Get a team with its members and keys",
  paths: ["/team/info"],
  query: TeamInfoQuery,
  answers: { 200: { description: "The team.", schema: TeamInfoAnswer }, ...managementFailures },

  async handle(input, context) {
    const { team, keys } = await runFor(input, context, (acting) => findTeam(acting, input.query.team_id));
    return answerJson({ team_id: team.id, team_info: describeTeam(team), keys: keys.map(describeKey) });
  },
};

/** Lists the teams that the caller can see. */
export const teamList: LitellmOperation<TeamListQuery> = {
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

  async handle(input, context) {
    const { query } = input;
    const page = { page: query.page ?? 1, pageSize: query.page_size ?? DEFAULT_SIZE };
    const filter = {
      organizationId: query.organization_id ?? null,
      userId: typeof query.user_id === "string" ? readUserId("user_id", query.user_id) : null,
      name: query.team_alias ?? null,
    };
    const { items, total } = await runFor(input, context, (acting) => listTeams(acting, filter, page));
    return pageHeaders(answerJson(items.map(describeTeam)), page, total);
  },
};
