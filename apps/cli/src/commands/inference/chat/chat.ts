import { defineCommand } from "../../../command.ts";
import { canAsk } from "../../../prompts/prompt.ts";
import { chosenModel, modelFlag } from "../model-flag.ts";
import { readPrompt } from "../read-text.ts";
import { answerOnce } from "./answer-once.ts";
import { openChatLine } from "./chat-line.ts";
import { runSession } from "./run-session.ts";

/** `tollgate chat`: sends one prompt, or starts a session if no prompt is given. */
export const chat = defineCommand({
  examples: [
    'tollgate chat -m sim/echo "Say hello"',
    'cat report.md | tollgate chat "summarize in three lines"',
    "tollgate chat -m example-large",
    'tollgate chat "hello" --json --jq ".choices[0].message.content"',
  ],
  arguments: [{ name: "prompt", description: "Prompt; starts a chat session if omitted", optional: true, many: true }],
  flags: {
    model: modelFlag,
    system: { type: "string", short: "s", value: "TEXT", description: "System prompt" },
    "max-tokens": { type: "number", value: "TOKENS", description: "Maximum output tokens" },
    temperature: { type: "number", value: "NUMBER", description: "Sampling temperature; 0 is the least random" },
    stream: { type: "boolean", description: "With --json: print one event per line as the response arrives" },
    "no-stream": { type: "boolean", description: "Print the response when it is complete" },
    via: {
      type: "string",
      value: "PLANE",
      choices: ["gateway", "platform"],
      description:
        "Send the request to the gateway with your API key, or through the platform with your session and --key",
    },
    key: {
      type: "string",
      value: "KEY",
      description: "With --via platform: name or ID of the key to charge",
      completes: "keys",
    },
  },
  notes:
    "Only the response goes to standard output. Piped input is appended to the prompt. In a session, end a line with \\ to continue it on the next line, and use the commands /model, /system, /save, /cost, /help, and /exit. Ctrl-C stops the response; press it again to exit.",
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
