import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { openPlatform } from "./open-platform.ts";

/** The `tollgate providers list` command, which doesn't require signing in. */
export const providersList = defineCommand({
  kind: "list",
  examples: ["tollgate providers list", "tollgate providers list --json=slug,status"],
  flags: { search: { type: "string", value: "TEXT", description: "Search by name" } },
  fields: ["id", "slug", "name", "website", "status", "modelCount", "createdAt"],
  operations: ["listProviders"],
  async run(context, { search }) {
    const query = search === undefined ? {} : { search };
    const list = await fetchList(context, "listProviders", { query }, await openPlatform(context));
    context.output.list({
      ...list,
      columns: [
        { header: "PROVIDER", value: ({ slug }) => slug, priority: 1 },
        { header: "NAME", value: ({ name }) => name },
        {
          header: "STATUS",
          value: ({ status }) => status,
          paint: (text, { green, yellow, red }) =>
            text === "available" ? green(text) : text === "degraded" ? yellow(text) : red(text),
        },
        { header: "MODELS", value: ({ modelCount }) => String(modelCount), align: "right", priority: 3 },
        { header: "WEBSITE", value: ({ website }) => website ?? "", priority: 4 },
      ],
      empty: "No providers yet.",
    });
    printMoreHint(context, list, "providers", "tollgate providers list");
  },
});
