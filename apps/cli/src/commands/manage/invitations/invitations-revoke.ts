import { defineCommand } from "../../../command.ts";

/** `tollgate invitations revoke`: revokes an invitation sent by your organization. */
export const invitationsRevoke = defineCommand({
  kind: "change",
  examples: ["tollgate invitations revoke inv_01J…", "tollgate invitations revoke inv_01J… --dry-run"],
  arguments: [{ name: "invitation", description: "Invitation ID, as listed by tollgate invitations list --sent" }],
  fields: ["id", "revoked"],
  operations: ["deleteInvitation"],
  async run(context, _, { invitation: id }) {
    if (!(await context.confirms({ summary: `Revoke invitation ${id}`, request: { id } }))) return;
    await context.platform.call("deleteInvitation", { params: { id } });
    context.output.record({ id, revoked: true }, () => "");
    context.output.done(`Revoked invitation ${id}`);
  },
});
