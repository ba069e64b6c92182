import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { findMember } from "./find-member.ts";
import { memberFields } from "./member-fields.ts";

/** `tollgate members set-role`: changes a member's role in the organization. */
export const membersSetRole = defineCommand({
  kind: "change",
  examples: [
    "tollgate members set-role ada@example.org admin",
    "tollgate members set-role ada@example.org owner --yes",
  ],
  arguments: [
    { name: "member", description: "Email address or member ID" },
    {
      name: "role",
      description: "Role in the organization; a new owner replaces the previous owner",
      choices: ["member", "admin", "owner"],
    },
  ],
  fields: memberFields,
  operations: ["updateOrganizationMember"],
  async run(context, _, args) {
    const { organization, member } = await findMember(context, args.member);
    const role = args.role as "member" | "admin" | "owner";
    const agreed = await context.confirms({
      summary: `Set the role of ${member.email} in ${organization.name} to ${role}`,
      // A user who transfers ownership can't take ownership back.
      ...(role === "owner" && { confirm: member.email }),
      request: { memberId: member.memberId, role },
    });
    if (!agreed) return;
    const body = { memberId: member.memberId, role };
    const { member: changed } = await withRecentPassword(context, () =>
      context.platform.call("updateOrganizationMember", { params: { id: organization.id }, body }),
    );
    context.output.record(changed, () => "");
    context.output.done(`The role of ${changed.email} in ${organization.name} is now ${changed.role}`);
  },
});
