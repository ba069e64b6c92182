import { defineCommand } from "../../command.ts";
import { chosenModel, modelFlag } from "./model-flag.ts";
import { noteCall } from "./note-call.ts";
import { readPrompt } from "./read-text.ts";

const SHOWN = 4;

/** The `tollgate embed` command. */
export const embed = defineCommand({
  examples: [
    'tollgate embed -m sim/embed "hello"',
    "tollgate embed -m sim/embed --lines <sentences.txt >vectors.jsonl",
    'tollgate embed -m sim/embed "hello" --jq ".data[0].embedding | length"',
  ],
  arguments: [
    { name: "text", description: "Text to embed; can also come from standard input", optional: true, many: true },
  ],
  flags: {
    model: modelFlag,
    lines: { type: "boolean", description: "Create one vector per line" },
    dimensions: { type: "number", value: "COUNT", description: "Vector size, if the model supports it" },
  },
  notes:
    "When output is piped, each vector is printed as a JSON array on its own line. In a terminal, only the first few values of each vector are shown.",
  fields: ["object", "model", "data", "usage"],
  async run(context, flags, { text }) {
    const model = chosenModel(context, flags.model, "embedding");
    const whole = await readPrompt(context, text);
    const input = flags.lines ? whole.split(/\r?\n/).filter((line) => line.trim() !== "") : whole;
    const { dimensions } = flags;
    const { data, facts } = await context.waiting(
      "embedding…",
      context.gateway.embed({ model, input, ...(dimensions !== undefined && { dimensions }) }),
    );
    const { output } = context;
    output.record(data, () =>
      data.data.map(({ embedding }) => `${formatVector(embedding as readonly number[], output.isTerminal)}\n`).join(""),
    );
    noteCall(context, facts, data.usage === undefined ? [] : [`${data.usage.prompt_tokens} tokens`]);
  },
});

function formatVector(vector: readonly number[], isShort: boolean): string {
  if (!isShort || vector.length <= SHOWN) return JSON.stringify(vector);
  return `[${vector.slice(0, SHOWN).join(",")}, …] ${vector.length} values`;
}
