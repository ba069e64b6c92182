import { defineCommand } from "../../../command.ts";
import { threadPath } from "./assistant-objects.ts";

/** The `tollgate threads delete` command. */
export const threadsDelete = defineCommand({
  kind: "change",
  examples: ["tollgate threads delete thread_01", "tollgate threads delete thread_01 --yes"],
  arguments: [{ name: "thread", description: "Thread ID" }],
  fields: ["id", "object", "deleted"],
  async run(context, _flags, { thread }) {
    const path = threadPath(thread);
    const plan = {
      summary: `Delete thread ${thread}`,
      lines: ["The thread's messages and runs are also deleted."],
      confirm: thread,
    };
    if (!(await context.confirms(plan))) return;
    const { data } = await context.gateway.request<object>("DELETE", path);
    context.output.done(`Deleted thread ${thread}`);
    if (context.output.isJson) context.output.record(data, () => "");
  },
});
