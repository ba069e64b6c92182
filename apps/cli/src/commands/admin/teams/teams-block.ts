import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { adminTeamFields, findTeamId } from "./find-team.ts";

/** `tollgate admin teams block`. */
export const teamsBlock = defineCommand({
  kind: "change",
  examples: [
    'tollgate admin teams block team_01 --reason "leaked key"',
    'tollgate admin teams block platform --of Acme --reason "leaked key"',
  ],
  arguments: [{ name: "team", description: "its id, or its name with --of" }],
  flags: {
    of: { type: "string", value: "ORG", description: "the organization that has it, by name or id" },
    reason: { type: "string", value: "TEXT", description: "kept in the audit log" },
  },
  fields: adminTeamFields,
  operations: ["blockTeam"],
  notes: "No purchase lifts this block; tollgate admin teams unblock does.",
  async run(context, flags, { team: wanted }) {
    const { reason } = flags;
    if (reason === undefined || reason.trim() === "") throw usageError("A block needs its reason.", "--reason TEXT");
    const id = await findTeamId(context, wanted, flags.of);
    const body = { reason };
    if (!(await context.confirms({ summary: `Block team ${wanted} (${id})`, request: body }))) return;
    const { team } = await context.platform.call("blockTeam", { params: { id }, body });
    context.output.done(`Blocked team ${team.name}: ${reason}`);
    if (context.output.isJson) context.output.record(team, () => "");
    else context.output.next(`tollgate admin teams unblock ${team.id}`);
  },
});
