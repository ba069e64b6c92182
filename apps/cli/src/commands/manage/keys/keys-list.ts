import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatAge } from "../../../format-values.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { groupNames } from "../usage/group-names.ts";
import { keyFields } from "./key-fields.ts";

/** The `tollgate keys list` command. */
export const keysList = defineCommand({
  kind: "list",
  examples: [
    "tollgate keys list",
    "tollgate keys list --team platform --status active",
    "tollgate keys list --json=id,name",
  ],
  flags: {
    team: { type: "string", value: "TEAM", description: "Filter by team name or ID", completes: "teams" },
    status: {
      type: "string",
      multiple: true,
      value: "STATUS",
      choices: ["active", "disabled", "expired", "revoked", "all"],
      description: "Filter by status",
    },
    search: { type: "string", value: "TEXT", description: "Search by name" },
  },
  fields: keyFields,
  operations: ["listApiKeys"],
  async run(context, flags) {
    const team = flags.team === undefined ? null : await resolveListed(context, "listTeams", flags.team);
    const status = flags.status as readonly ("active" | "all")[];
    const query = {
      ...(team !== null && { teamId: team.id }),
      ...(status.length > 0 && { status }),
      ...(flags.search !== undefined && { search: flags.search }),
    };
    const list = await fetchList(context, "listApiKeys", { query });
    const teams = context.output.isJson ? new Map<string, string>() : await groupNames(context, ["team"]);
    context.output.list({
      ...list,
      columns: [
        { header: "NAME", value: (key) => key.name, priority: 1 },
        { header: "TEAM", value: (key) => teams.get(key.team_id) ?? key.team_id, priority: 4 },
        { header: "KEY", value: (key) => key.token ?? "", priority: 3 },
        {
          header: "STATUS",
          value: (key) => key.state.replaceAll("_", " "),
          paint: (text, { red, green }) => (text === "active" ? green(text) : red(text)),
        },
        { header: "SPENT", value: (key) => formatMoney(key.usage.total), align: "right" },
        {
          header: "BUDGET",
          value: (key) => (key.budget === null ? "none" : formatMoney(key.budget.limit)),
          align: "right",
          priority: 4,
        },
        { header: "LAST USED", value: (key) => formatAge(key.lastUsedAt), priority: 3 },
        { header: "ID", value: (key) => key.id, priority: 5 },
      ],
      empty: "No keys yet. To create one: tollgate keys create NAME",
    });
    printMoreHint(context, list, "keys", "tollgate keys list");
  },
});
