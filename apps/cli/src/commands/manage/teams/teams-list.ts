import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatBudget } from "../budgets.ts";
import { teamFields } from "./team-fields.ts";

/** The `tollgate teams list` command. */
export const teamsList = defineCommand({
  kind: "list",
  examples: ["tollgate teams list", "tollgate teams list --status blocked --json=id,name,blockedReason"],
  flags: {
    status: { type: "string", value: "STATUS", choices: ["active", "blocked"], description: "Filter by status" },
    search: { type: "string", value: "TEXT", description: "Search by name" },
  },
  fields: teamFields,
  operations: ["listTeams"],
  async run(context, { status, search }) {
    const query = {
      ...(status !== undefined && { status: status as "active" | "blocked" }),
      ...(search !== undefined && { search }),
    };
    const list = await fetchList(context, "listTeams", { query });
    context.output.list({
      ...list,
      columns: [
        { header: "NAME", value: (team) => team.name, priority: 1 },
        {
          header: "STATUS",
          value: (team) => team.status,
          paint: (text, { red, green }) => (text === "active" ? green(text) : red(text)),
        },
        { header: "ROLE", value: (team) => team.role ?? "", priority: 3 },
        { header: "MEMBERS", value: (team) => String(team.memberCount), align: "right", priority: 3 },
        { header: "KEYS", value: (team) => String(team.keyCount), align: "right", priority: 3 },
        { header: "BUDGET", value: (team) => formatBudget(team.budget), priority: 4 },
        { header: "ID", value: (team) => team.id, priority: 5 },
      ],
      empty: "No teams yet. To create one: tollgate teams create NAME",
    });
    printMoreHint(context, list, "teams", "tollgate teams list");
  },
});
