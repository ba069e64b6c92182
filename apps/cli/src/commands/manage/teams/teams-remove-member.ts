import { defineCommand } from "../../../command.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { countOf } from "../count-of.ts";
import { resolveMember } from "./resolve-member.ts";

/** The `tollgate teams remove-member` command. */
export const teamsRemoveMember = defineCommand({
  kind: "change",
  examples: [
    "tollgate teams remove-member platform ada@example.org",
    "tollgate teams remove-member platform ada@example.org --revoke-keys --yes",
  ],
  arguments: [
    { name: "team", description: "Team name or ID", completes: "teams" },
    { name: "member", description: "Email address or member ID" },
  ],
  flags: {
    "revoke-keys": { type: "boolean", description: "Also revoke the keys that the member created in this team" },
  },
  fields: ["removed", "revokedKeys"],
  operations: ["removeTeamMember"],
  async run(context, flags, { team: wantedTeam, member: wantedMember }) {
    const team = await resolveListed(context, "listTeams", wantedTeam);
    const { members } = await context.platform.call("getTeam", { params: { id: team.id } });
    const { memberId, email } = resolveMember(wantedMember, members, `team ${team.name}`);
    const body = { teamId: team.id, memberId, revokeKeys: flags["revoke-keys"] };
    const agreed = await context.confirms({
      summary: `Remove ${email} from team ${team.name}`,
      lines: [
        flags["revoke-keys"]
          ? "The keys that the member created in this team are revoked."
          : "The keys that the member created in this team remain active.",
      ],
      confirm: email,
      request: body,
    });
    if (!agreed) return;
    const answer = await context.platform.call("removeTeamMember", { body });
    context.output.record(answer, () => "");
    context.output.done(`Removed ${email} from team ${team.name} and revoked ${countOf(answer.revokedKeys, "key")}`);
  },
});
