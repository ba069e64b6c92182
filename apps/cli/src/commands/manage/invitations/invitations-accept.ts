import { defineCommand } from "../../../command.ts";

/** The `tollgate invitations accept` command. */
export const invitationsAccept = defineCommand({
  kind: "change",
  examples: ["tollgate invitations accept inv_01J…", "tollgate invitations accept inv_01J… --jq .organization.id"],
  arguments: [{ name: "invitation", description: "Invitation ID, as listed by tollgate invitations list" }],
  fields: ["organization", "team"],
  operations: ["acceptInvitation"],
  async run(context, _, { invitation }) {
    const body = { invitationId: invitation };
    if (!(await context.confirms({ summary: `Accept invitation ${invitation}`, request: body }))) return;
    const answer = await context.platform.call("acceptInvitation", { body });
    const { organization, team } = answer;
    context.output.record(answer, () => "");
    const where = team === null ? organization.name : `team ${team.name} in ${organization.name}`;
    context.output.done(`Joined ${where}`);
    context.output.next(`tollgate orgs use ${organization.id}`);
  },
});
