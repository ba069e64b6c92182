import { formatTokens } from "@tollgate/domain/figures/size-text.ts";
import type { CallInput } from "@tollgate/sdk/platform/platform-client.ts";
import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatFirstToken, formatPrice, modelFields, withHub } from "./model-facts.ts";
import { openPlatform, readHub } from "./open-platform.ts";

type ModelQuery = NonNullable<CallInput<"listModels">["query"]>;

/** The `tollgate models list` command, which doesn't require signing in. */
export const modelsList = defineCommand({
  kind: "list",
  examples: [
    "tollgate models list",
    "tollgate models list --search vision --limit 3",
    "tollgate models list --type embedding --sort inputPrice",
    "tollgate models list --jq '.data[].id'",
  ],
  flags: {
    search: { type: "string", value: "TEXT", description: "Search by name or description" },
    type: {
      type: "string",
      multiple: true,
      value: "TYPE",
      choices: ["chat", "completion", "embedding", "image", "moderation", "speech", "transcription", "rerank"],
      description: "Filter by model type",
    },
    provider: { type: "string", multiple: true, value: "PROVIDER", description: "Filter by provider" },
    sort: {
      type: "string",
      value: "ORDER",
      choices: ["name", "-name", "createdAt", "-createdAt", "inputPrice", "-inputPrice"],
      description: "Sort order; prefix with - for descending",
    },
  },
  fields: modelFields,
  operations: ["listModels", "listHubModels"],
  async run(context, { search, type, provider, sort }) {
    const query = {
      ...(search !== undefined && { search }),
      ...(type.length > 0 && { type }),
      ...(provider.length > 0 && { provider }),
      ...(sort !== undefined && { sort }),
    } as ModelQuery;
    const platform = await openPlatform(context);
    const [list, hub] = await context.waiting(
      "loading models…",
      Promise.all([fetchList(context, "listModels", { query }, platform), readHub(platform)]),
    );
    context.output.list({
      rows: list.rows.map((model) => withHub(model, hub)),
      meta: list.meta,
      columns: [
        { header: "MODEL", value: ({ id }) => id, priority: 1 },
        { header: "PROVIDER", value: (model) => model.provider },
        { header: "MODE", value: (model) => model.type, priority: 3 },
        {
          header: "CONTEXT",
          value: ({ contextWindow }) => (contextWindow === null ? "–" : formatTokens(contextWindow)),
          align: "right",
          priority: 4,
        },
        { header: "$/1M IN", value: ({ pricing }) => formatPrice(pricing.inputPerMillionTokens), align: "right" },
        { header: "$/1M OUT", value: ({ pricing }) => formatPrice(pricing.outputPerMillionTokens), align: "right" },
        { header: "TTFT", value: formatFirstToken, align: "right", priority: 5 },
      ],
      empty: "No models found.",
    });
    const typed = [
      ...(search === undefined ? [] : ["--search", /^[\w./*-]+$/.test(search) ? search : `'${search}'`]),
      ...type.flatMap((each) => ["--type", each]),
      ...provider.flatMap((each) => ["--provider", each]),
    ];
    printMoreHint(context, list, "models", ["tollgate models list", ...typed].join(" "));
  },
});
