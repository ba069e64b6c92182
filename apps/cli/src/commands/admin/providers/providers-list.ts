import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { adminProviderFields } from "./provider-fields.ts";

/** The `tollgate admin providers list` command. */
export const adminProvidersList = defineCommand({
  kind: "list",
  examples: ["tollgate admin providers list", "tollgate admin providers list --json=slug,hasApiKey"],
  flags: { search: { type: "string", value: "TEXT", description: "Search by name" } },
  fields: adminProviderFields,
  operations: ["listAdminProviders"],
  async run(context, { search }) {
    const list = await fetchList(context, "listAdminProviders", { query: search === undefined ? {} : { search } });
    context.output.list({
      ...list,
      columns: [
        { header: "SLUG", value: ({ slug }) => slug, priority: 1 },
        { header: "KIND", value: ({ kind }) => kind, priority: 2 },
        { header: "STATUS", value: (row) => row.status },
        { header: "MODELS", value: (row) => String(row.modelCount), align: "right" },
        { header: "API KEY", value: ({ hasApiKey }) => (hasApiKey ? "set" : "not set"), priority: 3 },
        { header: "BASE URL", value: ({ baseUrl }) => baseUrl ?? "", priority: 4 },
      ],
      empty: "No providers yet. To create one: tollgate admin providers create SLUG --kind KIND",
    });
    printMoreHint(context, list, "providers", "tollgate admin providers list");
  },
});
