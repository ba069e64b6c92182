import { defineCommand } from "../../../command.ts";
import { formatTime } from "../../../format-values.ts";
import { type Thread, threadPath, timeOf } from "./assistant-objects.ts";

/** The `tollgate threads show` command. */
export const threadsShow = defineCommand({
  examples: ["tollgate threads show thread_01", "tollgate threads show thread_01 --json"],
  arguments: [{ name: "thread", description: "Thread ID" }],
  fields: ["id", "object", "created_at", "metadata", "tool_resources"],
  async run(context, _flags, { thread }) {
    const { data } = await context.gateway.request<Thread>("GET", threadPath(thread));
    const notes = Object.entries(data.metadata ?? {}).map(([name, value]) => [name, value] as const);
    context.output.pairs(data, [["id", data.id], ["created", formatTime(timeOf(data.created_at))], ...notes]);
    if (!context.output.isJson) context.output.next(`tollgate threads messages ${data.id}`);
  },
});
