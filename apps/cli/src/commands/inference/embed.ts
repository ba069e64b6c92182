import { defineCommand } from "../../command.ts";
import { chosenModel, modelFlag } from "./model-flag.ts";
import { noteCall } from "./note-call.ts";
import { readPrompt } from "./read-text.ts";

const SHOWN = 4;

/** `tollgate embed`. */
export const embed = defineCommand({
  examples: [
    'tollgate embed -m sim/embed "hello"',
    "tollgate embed -m sim/embed --lines <sentences.txt >vectors.jsonl",
    'tollgate embed -m sim/embed "hello" --jq ".data[0].embedding | length"',
  ],
  arguments: [{ name: "text", description: "what to embed; standard input too", optional: true, many: true }],
  flags: {
    model: modelFlag,
    lines: { type: "boolean", description: "one vector for each line" },
    dimensions: { type: "number", value: "COUNT", description: "how many numbers, where the model can choose" },
  },
  notes: "Into a pipe each vector is a line, a JSON array. On a terminal only the first numbers of each are shown.",
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
  return `[${vector.slice(0, SHOWN).join(",")}, …] ${vector.length} numbers`;
}
