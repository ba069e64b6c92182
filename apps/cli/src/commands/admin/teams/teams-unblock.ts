import { defineCommand } from "../../../command.ts";
import { adminTeamFields, findTeamId } from "./find-team.ts";

/** The `tollgate admin teams unblock` command. */
export const teamsUnblock = defineCommand({
  kind: "change",
  examples: ["tollgate admin teams unblock team_01", 'tollgate admin teams unblock team_01 --reason "key was rotated"'],
  arguments: [{ name: "team", description: "Team ID, or team name with --of" }],
  flags: {
    of: { type: "string", value: "ORG", description: "Name or ID of the team's organization" },
    reason: { type: "string", value: "TEXT", description: "Reason, recorded in the audit log" },
  },
  fields: adminTeamFields,
  operations: ["unblockTeam"],
  async run(context, flags, { team: wanted }) {
    const id = await findTeamId(context, wanted, flags.of);
    const body = flags.reason === undefined ? {} : { reason: flags.reason };
    if (!(await context.confirms({ summary: `Unblock team ${wanted} (${id})`, request: body }))) return;
    const { team } = await context.platform.call("unblockTeam", { params: { id }, body });
    context.output.done(`Team ${team.name} is ${team.status}`);
    if (context.output.isJson) context.output.record(team, () => "");
  },
});
