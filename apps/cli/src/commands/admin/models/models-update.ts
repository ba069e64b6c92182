import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { adminModelFields } from "./model-fields.ts";
import { modelFlags, readModelFlags } from "./model-flags.ts";

/** The `tollgate admin models update` command. */
export const adminModelsUpdate = defineCommand({
  kind: "change",
  examples: [
    "tollgate admin models update acme/7b --input-price 0.20",
    "tollgate admin models update acme/7b --status deprecated",
  ],
  arguments: [{ name: "model", description: "Model ID", completes: "models" }],
  flags: {
    ...modelFlags,
    status: {
      type: "string",
      value: "STATUS",
      choices: ["active", "deprecated", "disabled"],
      description: "Model status",
    },
  },
  fields: adminModelFields,
  operations: ["updateModel"],
  notes: "You can update only models managed in the console. To change a model from a settings file, edit the file.",
  async run(context, flags, { model: id }) {
    const body = {
      ...readModelFlags(flags),
      ...(flags.status !== undefined && { status: flags.status as "active" }),
    };
    if (Object.keys(body).length === 0)
      throw usageError("No changes specified.", "tollgate admin models update --help");
    if (!(await context.confirms({ summary: `Update ${Object.keys(body).join(", ")} of ${id}`, request: body })))
      return;
    const { model } = await withRecentPassword(context, () =>
      context.platform.call("updateModel", { params: { id }, body }),
    );
    context.output.done(`Updated ${model.id}`);
    if (context.output.isJson) context.output.record(model, () => "");
  },
});
