import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatTime } from "../../../format-values.ts";
import { activeOrganization } from "../active-organization.ts";
import { memberFields } from "./member-fields.ts";

/** `tollgate members list`: lists the organization's members. */
export const membersList = defineCommand({
  kind: "list",
  examples: ["tollgate members list", "tollgate members list --search ada --json=email,role"],
  flags: { search: { type: "string", value: "TEXT", description: "Search by name or email address" } },
  fields: memberFields,
  operations: ["listOrganizationMembers"],
  async run(context, { search }) {
    const { id } = await activeOrganization(context);
    const query = search === undefined ? {} : { search };
    const list = await fetchList(context, "listOrganizationMembers", { params: { id }, query });
    context.output.list({
      ...list,
      columns: [
        { header: "EMAIL", value: ({ email }) => email, priority: 1 },
        { header: "NAME", value: ({ name }) => name, priority: 3 },
        { header: "ROLE", value: ({ role }) => role },
        { header: "JOINED", value: ({ joinedAt }) => formatTime(joinedAt), priority: 4 },
        { header: "ID", value: ({ memberId }) => String(memberId), align: "right", priority: 5 },
      ],
    });
    printMoreHint(context, list, "members", "tollgate members list");
  },
});
