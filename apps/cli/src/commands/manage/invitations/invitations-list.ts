import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatAge } from "../../../format-values.ts";
import { activeOrganization } from "../active-organization.ts";
import { invitationFields } from "./invitation-fields.ts";

/** `tollgate invitations list`: lists invitations sent to you or by your organization. */
export const invitationsList = defineCommand({
  kind: "list",
  examples: ["tollgate invitations list", "tollgate invitations list --sent"],
  flags: { sent: { type: "boolean", description: "List the invitations that your organization sent" } },
  fields: invitationFields,
  operations: ["listInvitations", "listOrganizationInvitations"],
  async run(context, { sent }) {
    const list = sent
      ? await fetchList(context, "listOrganizationInvitations", {
          params: { id: (await activeOrganization(context)).id },
        })
      : await fetchList(context, "listInvitations");
    context.output.list({
      ...list,
      columns: [
        { header: "EMAIL", value: ({ email }) => email, priority: 1 },
        { header: "ORGANIZATION", value: ({ organizationName }) => organizationName, priority: 3 },
        { header: "TEAM", value: ({ teamName }) => teamName ?? "" },
        { header: "ROLE", value: ({ role }) => role },
        { header: "STATUS", value: ({ status }) => status, priority: 3 },
        { header: "EXPIRES", value: ({ expiresAt }) => formatAge(expiresAt), priority: 4 },
        { header: "ID", value: ({ id }) => id, priority: 1 },
      ],
      empty: sent
        ? "No pending invitations. To invite a user: tollgate teams invite TEAM EMAIL"
        : "You have no invitations. To list the invitations that your organization sent: tollgate invitations list --sent",
    });
    printMoreHint(context, list, "invitations", `tollgate invitations list${sent ? " --sent" : ""}`);
  },
});
