import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";

/** The `tollgate orgs list` command. */
export const orgsList = defineCommand({
  kind: "list",
  examples: ["tollgate orgs list", "tollgate orgs list --json=id,name,role"],
  fields: [
    "id",
    "name",
    "role",
    "ownerId",
    "billingEmail",
    "personal",
    "active",
    "teamCount",
    "memberCount",
    "settings",
    "createdAt",
    "updatedAt",
  ],
  operations: ["listOrganizations"],
  async run(context) {
    const list = await fetchList(context, "listOrganizations");
    context.output.list({
      ...list,
      columns: [
        { header: "", value: ({ active }) => (active ? "*" : ""), priority: 1 },
        { header: "NAME", value: ({ name }) => name, priority: 1 },
        { header: "ROLE", value: ({ role }) => role },
        { header: "TEAMS", value: ({ teamCount }) => String(teamCount), align: "right", priority: 3 },
        { header: "MEMBERS", value: ({ memberCount }) => String(memberCount), align: "right", priority: 3 },
        { header: "ID", value: ({ id }) => id, priority: 4 },
      ],
    });
    printMoreHint(context, list, "organizations", "tollgate orgs list");
  },
});
