import { defineCommand } from "../../../command.ts";
import { formatAge } from "../../../format-values.ts";
import { type Assistant, assistantFields, fetchGatewayList, timeOf } from "./assistant-objects.ts";

/** The `tollgate assistants list` command. */
export const assistantsList = defineCommand({
  kind: "list",
  examples: ["tollgate assistants list", "tollgate assistants list --json=id,name,model"],
  fields: assistantFields,
  async run(context) {
    const list = await context.waiting("listing…", fetchGatewayList<Assistant>(context, "/v1/assistants"));
    context.output.list({
      ...list,
      columns: [
        { header: "NAME", value: ({ name }) => name ?? "", priority: 1 },
        { header: "MODEL", value: ({ model }) => model, priority: 2 },
        { header: "TOOLS", value: ({ tools }) => tools.map(({ type }) => type).join(","), priority: 4 },
        { header: "CREATED", value: (row) => formatAge(timeOf(row.created_at)), priority: 3 },
        { header: "ID", value: ({ id }) => id, priority: 2 },
      ],
      empty: "No assistants yet. To create one: tollgate assistants create NAME -m MODEL",
    });
  },
});
