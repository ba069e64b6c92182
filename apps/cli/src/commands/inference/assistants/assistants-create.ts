import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { chosenModel, modelFlag } from "../model-flag.ts";
import { readTextFile } from "../read-text.ts";
import { type Assistant, assistantFields } from "./assistant-objects.ts";

/** The `tollgate assistants create` command. */
export const assistantsCreate = defineCommand({
  kind: "change",
  examples: [
    'tollgate assistants create helper -m sim/echo --instructions "Answer briefly."',
    "tollgate assistants create reviewer -m example-large --instructions-file review.md",
  ],
  arguments: [{ name: "name", description: "Assistant name" }],
  flags: {
    model: modelFlag,
    instructions: { type: "string", value: "TEXT", description: "Instructions for every thread" },
    "instructions-file": {
      type: "string",
      value: "FILE",
      description: "Read the instructions from a file; - for standard input",
    },
    description: { type: "string", value: "TEXT", description: "Description" },
  },
  fields: assistantFields,
  async run(context, flags, { name }) {
    const model = chosenModel(context, flags.model);
    const file = flags["instructions-file"];
    if (file !== undefined && flags.instructions !== undefined)
      throw usageError("--instructions and --instructions-file cannot be combined.", "Use only one of these flags.");
    const instructions = file === undefined ? flags.instructions : await readTextFile(context.io, file);
    const body = {
      name,
      model,
      ...(instructions !== undefined && { instructions }),
      ...(flags.description !== undefined && { description: flags.description }),
    };
    if (!(await context.confirms({ summary: `Create assistant ${name} on ${model}`, request: body }))) return;
    const { data } = await context.gateway.request<Assistant>("POST", "/v1/assistants", { body });
    const { output } = context;
    output.done(`Created assistant ${name} on ${model}`);
    output.record(data, () => `${data.id}\n`);
    if (!output.isJson) output.next(`tollgate threads create "hello" --assistant ${data.id}`);
  },
});
