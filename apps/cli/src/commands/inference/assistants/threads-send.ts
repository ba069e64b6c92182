import { defineCommand } from "../../../command.ts";
import { readPrompt } from "../read-text.ts";
import { findAssistant, threadPath } from "./assistant-objects.ts";
import { runThread } from "./run-thread.ts";

/** The `tollgate threads send` command. */
export const threadsSend = defineCommand({
  examples: [
    'tollgate threads send thread_01 "And in Haskell?" --assistant helper',
    "cat main.hs | tollgate threads send thread_01 --assistant helper",
  ],
  arguments: [
    { name: "thread", description: "Thread ID" },
    { name: "message", description: "Message; can also come from standard input", optional: true, many: true },
  ],
  flags: {
    assistant: {
      type: "string",
      value: "ASSISTANT",
      description: "Name or ID of an assistant to run; by default, the message is added without a response",
    },
  },
  notes: "Only the response goes to standard output. With --json, each run event is printed on one line.",
  exitCodes: { 1: "The run failed or is waiting for tool output" },
  async run(context, flags, { thread, message }) {
    const path = threadPath(thread);
    const assistant = flags.assistant === undefined ? null : await findAssistant(context, flags.assistant);
    const content = await readPrompt(context, message);
    const { data } = await context.gateway.request<{ id: string }>("POST", `${path}/messages`, {
      body: { role: "user", content },
    });
    if (assistant !== null) return runThread(context, thread, assistant.id);
    context.output.done("Added the message");
    context.output.record(data, () => `${data.id}\n`);
  },
});
