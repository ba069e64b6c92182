import { defineCommand } from "../../../command.ts";
import { readPrompt } from "../read-text.ts";
import { findAssistant, threadPath } from "./assistant-objects.ts";
import { runThread } from "./run-thread.ts";

/** `tollgate threads send`. */
export const threadsSend = defineCommand({
  examples: [
    'tollgate threads send thread_01 "And in Haskell?" --assistant helper',
    "cat main.hs | tollgate threads send thread_01 --assistant helper",
  ],
  arguments: [
    { name: "thread", description: "its id" },
    { name: "message", description: "what to say; standard input too", optional: true, many: true },
  ],
  flags: {
    assistant: { type: "string", value: "ASSISTANT", description: "who answers, by name or id; nobody when left out" },
  },
  notes: "Only the answer is on standard output. With --json each event of the run is a line.",
  exitCodes: { 1: "the run failed, or waits for the output of a tool" },
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
