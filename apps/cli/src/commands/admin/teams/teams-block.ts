import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { adminTeamFields, findTeamId } from "./find-team.ts";

/** The `tollgate admin teams block` command. */
export const teamsBlock = defineCommand({
  kind: "change",
  examples: [
    'tollgate admin teams block team_01 --reason "leaked key"',
    'tollgate admin teams block platform --of Acme --reason "leaked key"',
  ],
  arguments: [{ name: "team", description: "Team ID, or team name with --of" }],
  flags: {
    of: { type: "string", value: "ORG", description: "Name or ID of the team's organization" },
    reason: { type: "string", value: "TEXT", description: "Reason, recorded in the audit log" },
  },
  fields: adminTeamFields,
  operations: ["blockTeam"],
  notes: "Buying credits doesn't remove this block. To remove it, run tollgate admin teams unblock.",
  async run(context, flags, { team: wanted }) {
    const { reason } = flags;
    if (reason === undefined || reason.trim() === "")
      throw usageError("A reason is required to block a team.", "Add --reason TEXT.");
    const id = await findTeamId(context, wanted, flags.of);
    const body = { reason };
    if (!(await context.confirms({ summary: `Block team ${wanted} (${id})`, request: body }))) return;
    const { team } = await context.platform.call("blockTeam", { params: { id }, body });
    context.output.done(`Blocked team ${team.name}: ${reason}`);
    if (context.output.isJson) context.output.record(team, () => "");
    else context.output.next(`tollgate admin teams unblock ${team.id}`);
  },
});
