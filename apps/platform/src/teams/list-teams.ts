import { toList } from "@tollgate/contracts/management/lists.ts";
import { TeamList, TeamListQuery } from "@tollgate/contracts/management/team.ts";
import { listTeams } from "@tollgate/db/teams/list-teams.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import { operation, read } from "../operation.ts";
import { withBudgets } from "./read-team.ts";

export const listTeamsOperation = operation({
  ...read,
  id: "listTeams",
  summary: "The teams of the active organization: all for its admins, their own for its members",
  tag: "teams",
  path: "/api/gw/teams",
  auth: "user",
  scope: "organization",
  query: TeamListQuery,
  answers: { 200: { description: "One page of them", schema: TeamList } },
  handle: async ({ caller, query }, transaction, { now }) => {
    const { id, role } = caller.organization;
    const seesAll = may({ organization: role }, "see_all_teams");
    const { teams, total } = await listTeams(transaction, id, caller.userId, { ...query, seesAll });
    return { status: 200, body: toList(await withBudgets(transaction, id, teams, now()), query, total) };
  },
});
