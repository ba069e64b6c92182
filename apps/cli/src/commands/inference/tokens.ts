import { defineCommand } from "../../command.ts";
import { chosenModel, modelFlag } from "./model-flag.ts";
import { readPiped, readTextFile } from "./read-text.ts";

/** The `tollgate tokens` command. */
export const tokens = defineCommand({
  examples: [
    "tollgate tokens README.md -m example-large",
    "git diff | tollgate tokens",
    "tollgate tokens request.json",
  ],
  arguments: [{ name: "file", description: "Text file or JSON request; defaults to standard input", optional: true }],
  flags: { model: modelFlag },
  notes: "No model is called, and there is no charge. For a JSON request, messages and tools are counted.",
  fields: ["total_tokens", "request_model", "model_used", "tokenizer_type"],
  async run(context, flags, { file }) {
    const text = file === undefined ? await readPiped(context) : await readTextFile(context.io, file);
    const request = requestIn(text);
    const model = flags.model ?? request?.model ?? chosenModel(context, undefined);
    const body =
      request === null
        ? { model, prompt: text }
        : { model, messages: request.messages, ...(request.tools !== undefined && { tools: request.tools }) };
    const { data } = await context.waiting("counting…", context.gateway.countTokens(body));
    context.output.record(data, () => `${data.total_tokens}\n`);
  },
});

interface RequestText {
  readonly model?: string;
  readonly messages: readonly Record<string, unknown>[];
  readonly tools?: readonly Record<string, unknown>[];
}

/** Parses the text as a request; null if it is plain text. */
function requestIn(text: string): RequestText | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const value = JSON.parse(text) as RequestText;
    return Array.isArray(value.messages) ? value : null;
  } catch {
    return null;
  }
}
