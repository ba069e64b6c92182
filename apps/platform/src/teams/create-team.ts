import { ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import { NewTeamBody, TeamAnswer } from "@tollgate/contracts/management/team.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { createTeam } from "@tollgate/db/teams/create-team.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { requirePermission } from "../organizations/enter-own-organization.ts";
import { readTeam } from "./read-team.ts";
import { changeBudget, checkBudget, readTeamChanges } from "./read-team-changes.ts";

export const createTeamOperation = operation({
  ...write,
  id: "createTeam",
  summary: "Create a team in the active organization, with you as its admin",
  tag: "teams",
  path: "/api/gw/teams",
  auth: "user",
  scope: "organization",
  body: NewTeamBody,
  answers: {
    201: { description: "The new team; blocked if the organization's balance is negative", schema: TeamAnswer },
  },
  handle: async (input, transaction, { settings, now }) => {
    const { caller, body } = input;
    const { id: organizationId, role } = caller.organization;
    const { limits } = settings();
    const at = now();
    const { models, rpm, tpm, maxParallel } = readTeamChanges(body);
    checkBudget(body.budget);
    requirePermission({ organization: role }, "create_team");
    const id = makePrefixedId("team", at.getTime());
    const outcome = await createTeam(
      transaction,
      {
        id,
        organizationId,
        name: body.name,
        models: models ?? [],
        limits: { rpm: rpm ?? null, tpm: tpm ?? null, maxParallel: maxParallel ?? null },
        creatorId: caller.userId,
      },
      limits,
      at,
    );
    if (outcome === "limit_reached") {
      throw new ManagementFailure(
        "LIMIT_REACHED",
        `The organization has reached its limit of ${limits.teamsPerOrganization} teams. Delete one first.`,
      );
    }
    if (outcome === "name_taken") throw teamNameTaken();
    await changeBudget(transaction, organizationId, id, body.budget);
    const team = await readTeam(transaction, organizationId, id, caller.userId, at);
    await writeAudit(transaction, {
      organizationId,
      actor: actorOf(input),
      action: "team.created",
      target: { type: "team", id },
      after: body,
    });
    return { status: 201, body: { team } };
  },
});

export function teamNameTaken(): ManagementFailure {
  return new ManagementFailure("NAME_TAKEN", "Another team in the organization has this name. Choose another name.");
}
