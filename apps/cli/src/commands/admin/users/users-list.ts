import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatAge } from "../../../format-values.ts";
import { userFields } from "./user-fields.ts";

/** The `tollgate admin users list` command. */
export const usersList = defineCommand({
  kind: "list",
  examples: [
    "tollgate admin users list",
    "tollgate admin users list --search example.org --role admin",
    "tollgate admin users list --all --csv=id,email,lastLoginAt",
  ],
  flags: {
    search: { type: "string", value: "TEXT", description: "Search by email address or name" },
    role: { type: "string", value: "ROLE", choices: ["user", "admin"], description: "Filter by role" },
    status: {
      type: "string",
      value: "STATUS",
      choices: ["active", "disabled", "deleted", "all"],
      description: "Filter by status",
    },
  },
  fields: [...userFields, "organizations", "spent", "usd"],
  operations: ["listUsers"],
  async run(context, { search, role, status }) {
    const query = {
      ...(search !== undefined && { search }),
      ...(role !== undefined && { role: role as "user" | "admin" }),
      ...(status !== undefined && { status: status as "active" | "all" }),
    };
    const list = await fetchList(context, "listUsers", { query });
    context.output.list({
      ...list,
      columns: [
        { header: "ID", value: ({ id }) => String(id), align: "right", priority: 1 },
        { header: "EMAIL", value: ({ email }) => email, priority: 1 },
        { header: "NAME", value: ({ name }) => name, priority: 4 },
        { header: "ROLE", value: (user) => user.role },
        {
          header: "STATUS",
          value: (user) => user.status,
          paint: (text, { green, red }) => (text === "active" ? green(text) : red(text)),
        },
        { header: "SPENT", value: ({ spent }) => formatMoney(spent), align: "right", priority: 5 },
        { header: "LAST LOGIN", value: ({ lastLoginAt }) => formatAge(lastLoginAt), priority: 3 },
      ],
      empty: "No users found.",
    });
    printMoreHint(context, list, "users", "tollgate admin users list");
  },
});
