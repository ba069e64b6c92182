import { defineCommand } from "../../../command.ts";
import { formatTime } from "../../../format-values.ts";
import { assistantFields, findAssistant, timeOf } from "./assistant-objects.ts";

/** The `tollgate assistants show` command. */
export const assistantsShow = defineCommand({
  examples: ["tollgate assistants show helper", "tollgate assistants show asst_01 --jq .instructions"],
  arguments: [{ name: "assistant", description: "Assistant name or ID" }],
  fields: assistantFields,
  async run(context, _flags, { assistant: wanted }) {
    const assistant = await findAssistant(context, wanted);
    context.output.pairs(assistant, [
      ["name", assistant.name],
      ["id", assistant.id],
      ["model", assistant.model],
      ["description", assistant.description],
      ["instructions", assistant.instructions],
      ["tools", assistant.tools.length === 0 ? null : assistant.tools.map(({ type }) => type).join(", ")],
      ["created", formatTime(timeOf(assistant.created_at))],
    ]);
  },
});
