import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { TeamAnswer, TeamChange } from "@tollgate/contracts/management/team.ts";
import { readBudgets } from "@tollgate/db/leases/read-budgets.ts";
import { findTeamOfMember, type TeamOfMember } from "@tollgate/db/teams/list-teams.ts";
import type { TeamChanges } from "@tollgate/db/teams/update-team.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { enterOrganizationOfTeam, requirePermission } from "../organizations/enter-own-organization.ts";
import { readTeam } from "./read-team.ts";
import { checkBudget, readTeamChanges } from "./read-team-changes.ts";
import { updateTeam } from "./update-team.ts";

export const updateTeamOperation = operation({
  ...write,
  method: "PUT",
  idempotency: "none",
  id: "updateTeam",
  summary: "Update a team's name, budget, limits, and models",
  tag: "teams",
  path: "/api/gw/teams/{id}",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  body: TeamChange,
  answers: { 200: { description: "The updated team", schema: TeamAnswer } },
  handle: async (input, transaction, { now }) => {
    const { caller, params, body } = input;
    const at = now();
    const changes = readTeamChanges(body);
    checkBudget(body.budget);
    if (Object.keys(changes).length === 0 && body.budget === undefined) {
      throw new Failure("INVALID_FIELD", "Send at least one of name, budget, rateLimit, and models.");
    }
    const { organizationId, standing: roles } = await enterOrganizationOfTeam(transaction, caller, params.id);
    requirePermission(roles, "edit_team");
    const before = await findTeamOfMember(transaction, organizationId, params.id, caller.userId);
    if (before === null) throw unknownObject("team");
    const budgets = await readBudgets(transaction, organizationId, "team", [params.id], at);
    const former = budgets.get(params.id) ?? null;
    const hasBudget = body.budget !== undefined;
    const team = await updateTeam(
      transaction,
      { organizationId, teamId: params.id },
      { changes, budget: body.budget },
      {
        read: () => readTeam(transaction, organizationId, params.id, caller.userId, at),
        audited: () => ({
          before: {
            ...pickFields(before, changes),
            ...(hasBudget && { budget: former === null ? null : { limit: former.limit, period: former.period } }),
          },
          after: { ...changes, ...(hasBudget && { budget: body.budget }) },
        }),
      },
      { actor: actorOf(input) },
      at,
    );
    return { status: 200, body: { team } };
  },
});

function pickFields(team: TeamOfMember, changes: TeamChanges): Record<string, unknown> {
  return Object.fromEntries(Object.keys(changes).map((name) => [name, team[name as keyof TeamOfMember]]));
}
