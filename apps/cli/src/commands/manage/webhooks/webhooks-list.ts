import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatAge } from "../../../format-values.ts";
import { webhookFields } from "./webhook-fields.ts";

/** The `tollgate webhooks list` command. */
export const webhooksList = defineCommand({
  kind: "list",
  examples: ["tollgate webhooks list", "tollgate webhooks list --json=id,url,events"],
  fields: webhookFields,
  operations: ["listWebhooks"],
  async run(context) {
    const list = await fetchList(context, "listWebhooks");
    context.output.list({
      ...list,
      columns: [
        { header: "URL", value: ({ url }) => url, priority: 1 },
        {
          header: "STATUS",
          value: ({ status }) => status,
          paint: (text, { red, green }) => (text === "active" ? green(text) : red(text)),
        },
        { header: "LAST SENT", value: ({ lastDeliveredAt }) => formatAge(lastDeliveredAt), priority: 3 },
        { header: "ID", value: ({ id }) => id },
        { header: "EVENTS", value: ({ events }) => events.join(","), priority: 4 },
      ],
      empty: "No webhooks yet. To create one: tollgate webhooks create URL --event balance.low",
    });
    printMoreHint(context, list, "webhooks", "tollgate webhooks list");
  },
});
