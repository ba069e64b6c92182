import { NewTeamBody, TeamAnswer } from "@tollgate/contracts/management/team.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { requirePermission } from "../organizations/enter-own-organization.ts";
import { createTeam } from "./create-team.ts";
import { readTeam } from "./read-team.ts";
import { checkBudget, readTeamChanges } from "./read-team-changes.ts";

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
    const at = now();
    const { models, rpm, tpm, maxParallel } = readTeamChanges(body);
    checkBudget(body.budget);
    requirePermission({ organization: role }, "create_team");
    const id = makePrefixedId("team", at.getTime());
    await createTeam(
      transaction,
      {
        id,
        organizationId,
        name: body.name,
        models: models ?? [],
        limits: { rpm: rpm ?? null, tpm: tpm ?? null, maxParallel: maxParallel ?? null },
        creatorId: caller.userId,
        budget: body.budget,
      },
      { limits: settings().limits, actor: actorOf(input), audited: body },
      at,
    );
    const team = await readTeam(transaction, organizationId, id, caller.userId, at);
    return { status: 201, body: { team } };
  },
});
