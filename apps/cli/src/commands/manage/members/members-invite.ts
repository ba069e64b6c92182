import { randomUUID } from "node:crypto";
import { defineCommand } from "../../../command.ts";
import { formatTime } from "../../../format-values.ts";
import { activeOrganization } from "../active-organization.ts";

/** `tollgate members invite`: invites a user to the organization without adding them to a team. */
export const membersInvite = defineCommand({
  kind: "change",
  examples: ["tollgate members invite ada@example.org", "tollgate members invite ada@example.org --role admin"],
  arguments: [{ name: "email", description: "Email address" }],
  flags: {
    role: {
      type: "string",
      value: "ROLE",
      choices: ["member", "admin"],
      description: "Role in the organization; defaults to member",
    },
  },
  fields: ["status", "invitation", "inviteUrl"],
  operations: ["inviteOrganizationMember"],
  async run(context, flags, { email }) {
    const { id, name } = await activeOrganization(context);
    const body = { email, role: (flags.role ?? "member") as "member" | "admin" };
    if (!(await context.confirms({ summary: `Invite ${email} to ${name} as ${body.role}`, request: body }))) return;
    const input = { params: { id }, body, idempotencyKey: randomUUID() };
    const answer = await context.platform.call("inviteOrganizationMember", input);
    const { output } = context;
    output.record(answer, () => (answer.inviteUrl === null ? "" : `${answer.inviteUrl}\n`));
    output.done(`Invited ${email} to ${name}; the invitation expires ${formatTime(answer.invitation.expiresAt)}`);
    if (answer.inviteUrl !== null)
      output.note("  This server doesn't send email. Send the invitation URL above to the user.");
  },
});
