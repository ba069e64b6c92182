import { toList } from "@tollgate/contracts/management/lists.ts";
import { TeamList, TeamListQuery } from "@tollgate/contracts/management/team.ts";
import { listTeams } from "@tollgate/db/teams/list-teams.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import { operation, read } from "../operation.ts";
import { withBudgets } from "./read-team.ts";

export const listTeamsOperation = operation({
  ...read,
  id: "listTeams",
  summary: "List teams in the active organization; members see only their own",
  tag: "teams",
  path: "/api/gw/teams",
  auth: "user",
  scope: "organization",
  query: TeamListQuery,
  answers: { 200: { description: "One page of teams", schema: TeamList } },
  handle: async ({ caller, query }, transaction, { now }) => {
    const { id, role } = caller.organization;
    const seesAll = may({ organization: role }, "see_all_teams");
    const { teams, total } = await listTeams(transaction, id, caller.userId, { ...query, seesAll });
    return { status: 200, body: toList(await withBudgets(transaction, id, teams, now()), query, total) };
  },
});
