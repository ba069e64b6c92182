import { randomUUID } from "node:crypto";
import { defineCommand } from "../../../command.ts";
import { formatTime } from "../../../format-values.ts";
import { resolveListed } from "../../../resolve-listed.ts";

/**
 * `tollgate teams invite`: adds an organization member to the team directly, and sends an invitation to any other user.
 */
export const teamsInvite = defineCommand({
  kind: "change",
  examples: ["tollgate teams invite platform ada@example.org", "tollgate teams invite platform bo@x.org --role admin"],
  arguments: [
    { name: "team", description: "Team name or ID", completes: "teams" },
    { name: "email", description: "Email address" },
  ],
  flags: {
    role: {
      type: "string",
      value: "ROLE",
      choices: ["member", "admin"],
      description: "Role in the team; defaults to member",
    },
  },
  fields: ["status", "member", "invitation", "inviteUrl"],
  operations: ["inviteTeamMember"],
  async run(context, flags, { team: wanted, email }) {
    const team = await resolveListed(context, "listTeams", wanted);
    const role = (flags.role ?? "member") as "member" | "admin";
    const body = { teamId: team.id, email, role };
    if (!(await context.confirms({ summary: `Invite ${email} to team ${team.name} as ${role}`, request: body })))
      return;
    // The operation returns either the added member or an invitation. The schema describes only the added member.
    const answer: Invited = await context.platform.call("inviteTeamMember", { body, idempotencyKey: randomUUID() });
    const { output } = context;
    const { inviteUrl = null, invitation } = answer;
    output.record(answer, () => (inviteUrl === null ? "" : `${inviteUrl}\n`));
    if (invitation === undefined) return output.done(`Added ${email} to team ${team.name} as ${role}`);
    output.done(`Invited ${email} to team ${team.name}; the invitation expires ${formatTime(invitation.expiresAt)}`);
    if (inviteUrl !== null) output.note("  This server doesn't send email. Send the invitation URL above to the user.");
  },
});

interface Invited {
  readonly status: string;
  readonly member?: object;
  readonly invitation?: { readonly expiresAt: string };
  readonly inviteUrl?: string | null;
}
