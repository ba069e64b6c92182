import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../command.ts";
import { fetchList, printMoreHint } from "../../fetch-list.ts";
import { formatAge } from "../../format-values.ts";

/** The `tollgate admin orgs list` command. */
export const adminOrgsList = defineCommand({
  kind: "list",
  examples: [
    "tollgate admin orgs list",
    "tollgate admin orgs list --search acme",
    "tollgate admin orgs list --sort balance",
  ],
  flags: {
    search: { type: "string", value: "TEXT", description: "Search by name" },
    status: { type: "string", value: "STATUS", choices: ["active", "closed"], description: "Filter by status" },
    sort: {
      type: "string",
      value: "FIELD",
      choices: ["createdAt", "-createdAt", "name", "-name", "balance", "-balance", "spent", "-spent"],
      description: "Sort order; prefix with - for descending (--sort=-balance)",
    },
  },
  fields: [
    "id",
    "name",
    "status",
    "personal",
    "ownerId",
    "memberCount",
    "teamCount",
    "keyCount",
    "balance",
    "spent",
    "createdAt",
    "updatedAt",
  ],
  operations: ["listAdminOrganizations"],
  async run(context, { search, status, sort }) {
    const query = {
      ...(search !== undefined && { search }),
      ...(status !== undefined && { status: status as "active" }),
      ...(sort !== undefined && { sort: sort as "name" }),
    };
    const list = await fetchList(context, "listAdminOrganizations", { query });
    context.output.list({
      ...list,
      columns: [
        { header: "NAME", value: ({ name }) => name, priority: 1 },
        {
          header: "BALANCE",
          value: ({ balance }) => formatMoney(balance),
          align: "right",
          priority: 1,
          paint: (text, { red }) => (text.trimStart().startsWith("−") ? red(text) : text),
        },
        { header: "SPENT", value: ({ spent }) => formatMoney(spent), align: "right", priority: 2 },
        { header: "STATUS", value: (row) => row.status },
        { header: "MEMBERS", value: (row) => String(row.memberCount), align: "right", priority: 3 },
        { header: "TEAMS", value: (row) => String(row.teamCount), align: "right", priority: 4 },
        { header: "KEYS", value: (row) => String(row.keyCount), align: "right", priority: 4 },
        { header: "CREATED", value: (row) => formatAge(row.createdAt), priority: 4 },
        { header: "ID", value: ({ id }) => id, priority: 5 },
      ],
      empty: "No organizations found.",
    });
    printMoreHint(context, list, "organizations", "tollgate admin orgs list");
  },
});
