import { defineCommand } from "../../command.ts";
import { modelFlag } from "./model-flag.ts";
import { noteCall } from "./note-call.ts";
import { readPrompt } from "./read-text.ts";

/** The `tollgate moderate` command. */
export const moderate = defineCommand({
  examples: [
    'tollgate moderate "I will find you"',
    "tollgate moderate <comment.txt",
    'tollgate moderate "hello" --jq ".results[0].flagged"',
  ],
  arguments: [
    { name: "text", description: "Text to check; can also come from standard input", optional: true, many: true },
  ],
  flags: { model: { ...modelFlag, description: "Model; defaults to the server's moderation model" } },
  fields: ["id", "model", "results"],
  async run(context, flags, { text }) {
    const input = await readPrompt(context, text);
    const { data, facts } = await context.waiting(
      "checking…",
      context.gateway.moderate({ input, ...(flags.model !== undefined && { model: flags.model }) }),
    );
    const { output } = context;
    const [result] = data.results;
    const categories = (result?.categories ?? {}) as Readonly<Record<string, unknown>>;
    const scores = Object.entries(result?.category_scores ?? {}) as [string, number][];
    const named = scores.filter(([name]) => categories[name] === true);
    const verdict = result?.flagged === true ? "flagged" : "not flagged";
    output.record(data, ({ red, green }) =>
      output.isTerminal
        ? `${result?.flagged === true ? red(verdict) : green(verdict)}\n${named.map(([name, score]) => `  ${name}  ${score.toFixed(3)}\n`).join("")}`
        : `${verdict}\t${named.map(([name]) => name).join(",")}\n`,
    );
    noteCall(context, facts);
  },
});
