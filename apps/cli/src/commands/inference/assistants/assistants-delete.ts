import { defineCommand } from "../../../command.ts";
import { findAssistant } from "./assistant-objects.ts";

/** The `tollgate assistants delete` command. */
export const assistantsDelete = defineCommand({
  kind: "change",
  examples: ["tollgate assistants delete helper", "tollgate assistants delete asst_01 --yes"],
  arguments: [{ name: "assistant", description: "Assistant name or ID" }],
  fields: ["id", "object", "deleted"],
  async run(context, _flags, { assistant: wanted }) {
    const { id, name } = await findAssistant(context, wanted);
    const summary = `Delete assistant ${name ?? id} (${id})`;
    if (
      !(await context.confirms({ summary, lines: ["The assistant's threads are not deleted."], confirm: name ?? id }))
    )
      return;
    const { data } = await context.gateway.request<object>("DELETE", `/v1/assistants/${id}`);
    context.output.done(`Deleted assistant ${name ?? id}`);
    if (context.output.isJson) context.output.record(data, () => "");
  },
});
