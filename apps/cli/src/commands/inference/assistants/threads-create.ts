import { defineCommand } from "../../../command.ts";
import { findAssistant, type Thread } from "./assistant-objects.ts";
import { runThread } from "./run-thread.ts";

/** The `tollgate threads create` command. */
export const threadsCreate = defineCommand({
  kind: "change",
  examples: [
    "THREAD=$(tollgate threads create -q)",
    'tollgate threads create "What is a monad?"',
    'tollgate threads create "What is a monad?" --assistant helper',
  ],
  arguments: [{ name: "message", description: "First message", optional: true }],
  flags: {
    assistant: {
      type: "string",
      value: "ASSISTANT",
      description: "Name or ID of an assistant to run on the new thread",
    },
  },
  fields: ["id", "object", "created_at", "metadata", "tool_resources"],
  notes:
    "The thread ID goes to standard output. With --assistant, the response goes to standard output and the ID to standard error.",
  async run(context, flags, { message }) {
    const body = message === undefined ? {} : { messages: [{ role: "user", content: message }] };
    if (!(await context.confirms({ summary: "Create a thread", request: body }))) return;
    // Reject an unknown assistant before the thread is created.
    const assistant = flags.assistant === undefined ? null : await findAssistant(context, flags.assistant);
    const { output } = context;
    const { data } = await context.gateway.request<Thread>("POST", "/v1/threads", { body });
    if (assistant === null) {
      output.done("Created a thread");
      return output.record(data, () => `${data.id}\n`);
    }
    output.done(`Created thread ${data.id}`);
    return runThread(context, data.id, assistant.id);
  },
});
