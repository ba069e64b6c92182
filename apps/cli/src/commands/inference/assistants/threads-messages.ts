import { defineCommand } from "../../../command.ts";
import { formatAge } from "../../../format-values.ts";
import { fetchGatewayList, type Message, messageFields, textOf, threadPath, timeOf } from "./assistant-objects.ts";

/** The `tollgate threads messages` command. */
export const threadsMessages = defineCommand({
  kind: "list",
  examples: [
    "tollgate threads messages thread_01",
    "tollgate threads messages thread_01 --all --jq '.data[].content[0].text.value'",
  ],
  arguments: [{ name: "thread", description: "Thread ID" }],
  fields: messageFields,
  async run(context, _flags, { thread }) {
    const list = await fetchGatewayList<Message>(context, `${threadPath(thread)}/messages`, { order: "asc" });
    context.output.list({
      ...list,
      columns: [
        { header: "ROLE", value: ({ role }) => role, priority: 1 },
        { header: "TEXT", value: textOf, priority: 1 },
        { header: "WHEN", value: (row) => formatAge(timeOf(row.created_at)), priority: 3 },
        { header: "ID", value: ({ id }) => id, priority: 4 },
      ],
      empty: `No messages yet. To send one: tollgate threads send ${thread} "hello" --assistant ASSISTANT`,
    });
  },
});
