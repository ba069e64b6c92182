import { defineCommand } from "../../../command.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { resolveMember } from "./resolve-member.ts";

/** The `tollgate teams set-role` command. */
export const teamsSetRole = defineCommand({
  kind: "change",
  examples: [
    "tollgate teams set-role platform ada@example.org admin",
    "tollgate teams set-role platform ada@example.org member",
  ],
  arguments: [
    { name: "team", description: "Team name or ID", completes: "teams" },
    { name: "member", description: "Email address or member ID" },
    { name: "role", description: "Role in the team", choices: ["member", "admin"] },
  ],
  fields: ["memberId", "userId", "email", "name", "role", "joinedAt"],
  operations: ["updateTeamMember"],
  async run(context, _, { team: wantedTeam, member: wantedMember, role }) {
    const team = await resolveListed(context, "listTeams", wantedTeam);
    const { members } = await context.platform.call("getTeam", { params: { id: team.id } });
    const { memberId, email } = resolveMember(wantedMember, members, `team ${team.name}`);
    const body = { teamId: team.id, memberId, role: role as "member" | "admin" };
    if (
      !(await context.confirms({ summary: `Set the role of ${email} in team ${team.name} to ${role}`, request: body }))
    )
      return;
    const { member } = await context.platform.call("updateTeamMember", { body });
    context.output.record(member, () => "");
    context.output.done(`The role of ${email} in team ${team.name} is now ${member.role}`);
  },
});
