import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { adminModelFields } from "./model-fields.ts";

/** The `tollgate admin models disable` command. */
export const adminModelsDisable = defineCommand({
  kind: "change",
  examples: ["tollgate admin models disable acme/7b", "tollgate admin models disable acme/7b --dry-run"],
  arguments: [{ name: "model", description: "Model ID", completes: "models" }],
  fields: adminModelFields,
  operations: ["updateModel"],
  async run(context, _flags, { model: id }) {
    const body = { status: "disabled" } as const;
    if (!(await context.confirms({ summary: `Disable model ${id}`, request: body }))) return;
    const { model } = await withRecentPassword(context, () =>
      context.platform.call("updateModel", { params: { id }, body }),
    );
    context.output.done(`Disabled ${model.id}. Gateways stop serving it within a second.`);
    if (context.output.isJson) context.output.record(model, () => "");
    else context.output.next(`tollgate admin models update ${model.id} --status active`);
  },
});
