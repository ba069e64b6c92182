import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { limitFlags, readLimits } from "../limits.ts";
import { teamFields } from "./team-fields.ts";

/** `tollgate teams update`: changes a team's name and limits. */
export const teamsUpdate = defineCommand({
  kind: "change",
  examples: ["tollgate teams update platform --cap 500/month", "tollgate teams update platform --name core"],
  arguments: [{ name: "team", description: "Team name or ID", completes: "teams" }],
  flags: { name: { type: "string", value: "NAME", description: "New name" }, ...limitFlags },
  fields: teamFields,
  operations: ["updateTeam"],
  async run(context, flags, args) {
    const body = { ...(flags.name !== undefined && { name: flags.name }), ...readLimits(flags) };
    const names = Object.keys(body);
    if (names.length === 0)
      throw usageError("No changes specified.", "Add at least one flag, such as --name, --cap, --models, or --rpm.");
    const { id, name } = await resolveListed(context, "listTeams", args.team);
    if (!(await context.confirms({ summary: `Update ${names.join(", ")} of team ${name}`, request: body }))) return;
    const { team } = await context.platform.call("updateTeam", { params: { id }, body });
    context.output.record(team, () => "");
    context.output.done(`Updated ${names.join(", ")} of team ${team.name}`);
  },
});
