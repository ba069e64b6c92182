import { defineCommand } from "../../../command.ts";
import { sliceList } from "../../../fetch-list.ts";
import { shortId } from "./short-id.ts";

/** `tollgate admin models list`: lists all deployments of all models. */
export const adminModelsList = defineCommand({
  kind: "list",
  examples: [
    "tollgate admin models list",
    "tollgate admin models list --group example-large",
    "tollgate admin models list --jq '.data[] | select(.priced == false) | .id'",
  ],
  flags: {
    group: { type: "string", value: "MODEL", description: "Filter by model group", completes: "models" },
  },
  fields: [
    "id",
    "group",
    "provider",
    "model",
    "source",
    "apiBase",
    "credential",
    "weight",
    "order",
    "rpm",
    "tpm",
    "mode",
    "tags",
    "priced",
    "priceSource",
    "pricing",
    "stale",
    "status",
    "cooldownUntil",
    "editable",
    "modelId",
    "params",
  ],
  operations: ["listDeployments"],
  async run(context, { group }) {
    const { deployments, warnings } = await context.platform.call("listDeployments");
    const found = deployments.filter((each) => group === undefined || each.group === group);
    const { output } = context;
    output.list({
      rows: sliceList(context, found),
      columns: [
        { header: "MODEL", value: (row) => row.group, priority: 1 },
        { header: "PROVIDER", value: (row) => row.provider, priority: 2 },
        { header: "UPSTREAM", value: (row) => row.model, priority: 3 },
        {
          header: "STATUS",
          value: (row) => row.status,
          paint: (text, { green, red, dim }) =>
            text === "healthy" ? green(text) : text === "unknown" ? dim(text) : red(text),
        },
        { header: "PRICE", value: (row) => row.priceSource, priority: 4 },
        { header: "KEY", value: (row) => row.credential, priority: 5 },
        { header: "SOURCE", value: ({ source }) => sourceOf(source), priority: 5 },
        { header: "ID", value: ({ id }) => (output.isTerminal ? shortId(id) : id), priority: 2 },
      ],
      meta: { total: found.length, warnings },
      empty: "No models. Create one with tollgate admin models create, or add a model_list to the settings file.",
    });
    if (warnings.unpriced > 0 && output.isTerminal)
      output.warn(
        `${warnings.unpriced} deployments have no price. With billing on, their requests are refused until you set one.`,
      );
  },
});

function sourceOf({ kind, file, line }: { kind: string; file: string | null; line: number | null }): string {
  return file === null ? kind : `${file}${line === null ? "" : `:${line}`}`;
}
