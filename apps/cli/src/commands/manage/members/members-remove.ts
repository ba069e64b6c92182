import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { countOf } from "../count-of.ts";
import { findMember } from "./find-member.ts";

/** `tollgate members remove`: removes a member from the organization and all its teams. */
export const membersRemove = defineCommand({
  kind: "change",
  examples: ["tollgate members remove ada@example.org", "tollgate members remove ada@example.org --revoke-keys --yes"],
  arguments: [{ name: "member", description: "Email address or member ID" }],
  flags: { "revoke-keys": { type: "boolean", description: "Also revoke the keys that the member created" } },
  fields: ["removed", "revokedKeys"],
  operations: ["removeOrganizationMember"],
  async run(context, flags, args) {
    const { organization, member } = await findMember(context, args.member);
    const body = { memberId: member.memberId, revokeKeys: flags["revoke-keys"] };
    const agreed = await context.confirms({
      summary: `Remove ${member.email} from ${organization.name} and all its teams`,
      lines: [
        flags["revoke-keys"]
          ? "The keys that the member created are revoked."
          : "The keys that the member created remain active.",
      ],
      confirm: member.email,
      request: body,
    });
    if (!agreed) return;
    const answer = await withRecentPassword(context, () =>
      context.platform.call("removeOrganizationMember", { params: { id: organization.id }, body }),
    );
    context.output.record(answer, () => "");
    context.output.done(
      `Removed ${member.email} from ${organization.name} and revoked ${countOf(answer.revokedKeys, "key")}`,
    );
  },
});
