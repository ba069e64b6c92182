import { defineCommand } from "../../../command.ts";

/** `tollgate invitations decline`: declines an invitation sent to you. */
export const invitationsDecline = defineCommand({
  kind: "change",
  examples: ["tollgate invitations decline inv_01J…", "tollgate invitations decline inv_01J… --dry-run"],
  arguments: [{ name: "invitation", description: "Invitation ID, as listed by tollgate invitations list" }],
  fields: ["id", "declined"],
  operations: ["declineInvitation"],
  async run(context, _, { invitation: id }) {
    const body = { invitationId: id };
    if (!(await context.confirms({ summary: `Decline invitation ${id}`, request: body }))) return;
    await context.platform.call("declineInvitation", { body });
    context.output.record({ id, declined: true }, () => "");
    context.output.done(`Declined invitation ${id}`);
  },
});
