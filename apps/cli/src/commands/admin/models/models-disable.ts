import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { adminModelFields } from "./model-fields.ts";

/** `tollgate admin models disable`. */
export const adminModelsDisable = defineCommand({
  kind: "change",
  examples: ["tollgate admin models disable acme/7b", "tollgate admin models disable acme/7b --dry-run"],
  arguments: [{ name: "model", description: "its id", completes: "models" }],
  fields: adminModelFields,
  operations: ["updateModel"],
  async run(context, _flags, { model: id }) {
    const body = { status: "disabled" } as const;
    if (!(await context.confirms({ summary: `Serve ${id} no longer`, request: body }))) return;
    const { model } = await withRecentPassword(context, () =>
      context.platform.call("updateModel", { params: { id }, body }),
    );
    context.output.done(`Gateways stop serving ${model.id} within a second`);
    if (context.output.isJson) context.output.record(model, () => "");
    else context.output.next(`tollgate admin models update ${model.id} --status active`);
  },
});
