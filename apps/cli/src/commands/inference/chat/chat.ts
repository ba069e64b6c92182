import { defineCommand } from "../../../command.ts";
import { canAsk } from "../../../prompts/prompt.ts";
import { chosenModel, modelFlag } from "../model-flag.ts";
import { readPrompt } from "../read-text.ts";
import { answerOnce } from "./answer-once.ts";
import { openChatLine } from "./chat-line.ts";
import { runSession } from "./run-session.ts";

/** `tollgate chat`: one question, or a session when there is none. */
export const chat = defineCommand({
  examples: [
    'tollgate chat -m sim/echo "Say hello"',
    'cat report.md | tollgate chat "summarise in three lines"',
    "tollgate chat -m example-large",
    'tollgate chat "hello" --json --jq ".choices[0].message.content"',
  ],
  arguments: [{ name: "prompt", description: "what to say; a session when left out", optional: true, many: true }],
  flags: {
    model: modelFlag,
    system: { type: "string", short: "s", value: "TEXT", description: "instructions before the conversation" },
    "max-tokens": { type: "number", value: "TOKENS", description: "at most so many in the answer" },
    temperature: { type: "number", value: "NUMBER", description: "0 is the least random" },
    stream: { type: "boolean", description: "with --json: one event per line as the answer is made" },
    "no-stream": { type: "boolean", description: "print the answer when it is whole" },
    via: {
      type: "string",
      value: "PLANE",
      choices: ["gateway", "platform"],
      description: "gateway with TOLLGATE_API_KEY, or platform with your sign-in and --key",
    },
    key: {
      type: "string",
      value: "KEY",
      description: "with --via platform: the key that pays, by name or id",
      completes: "keys",
    },
  },
  notes:
    "Only the answer is on standard output. What is piped in is sent below the prompt. In a session a line that ends in \\ goes on, and /model, /system, /save, /cost, /help and /exit are commands; ctrl-c stops the answer, and once more leaves.",
  fields: ["id", "object", "created", "model", "choices", "usage"],
  operations: ["createMessage"],
  async run(context, flags, { prompt }) {
    const line = openChatLine(context, flags.via === "platform", flags.key);
    const options = {
      model: chosenModel(context, flags.model),
      ...(flags["max-tokens"] !== undefined && { max_tokens: flags["max-tokens"] }),
      ...(flags.temperature !== undefined && { temperature: flags.temperature }),
    };
    if (prompt.length === 0 && canAsk(context.io)) {
      return runSession(context, line, options, flags.system ?? null);
    }
    const messages = [
      ...(flags.system === undefined ? [] : [{ role: "system" as const, content: flags.system }]),
      { role: "user" as const, content: await readPrompt(context, prompt) },
    ];
    await answerOnce(context, line, { ...options, messages }, { stream: flags.stream, noStream: flags["no-stream"] });
  },
});
