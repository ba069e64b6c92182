import { defineCommand } from "../../../command.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { countOf } from "../count-of.ts";

/** `tollgate teams delete`: permanently deletes a team and its keys. */
export const teamsDelete = defineCommand({
  kind: "change",
  examples: ["tollgate teams delete research", "tollgate teams delete research --dry-run"],
  arguments: [{ name: "team", description: "Team name or ID", completes: "teams" }],
  fields: ["id", "name", "deleted"],
  operations: ["deleteTeam"],
  async run(context, _, args) {
    const { id, name, keyCount, memberCount } = await resolveListed(context, "listTeams", args.team);
    const agreed = await context.confirms({
      summary: `Permanently delete team ${name} (${id})`,
      lines: [
        `Revokes ${countOf(keyCount, "key")}.`,
        `Removes ${countOf(memberCount, "member")} from the team, not from the organization.`,
        "The team's usage remains in the logs and the ledger.",
      ],
      confirm: name,
      request: { id },
    });
    if (!agreed) return;
    await context.platform.call("deleteTeam", { params: { id } });
    context.output.record({ id, name, deleted: true }, () => "");
    context.output.done(`Deleted team ${name} and revoked ${countOf(keyCount, "key")}`);
  },
});
