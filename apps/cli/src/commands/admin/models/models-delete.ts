import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";

/** The `tollgate admin models delete` command. */
export const adminModelsDelete = defineCommand({
  kind: "change",
  examples: ["tollgate admin models delete acme/7b", "tollgate admin models delete acme/7b --yes"],
  arguments: [{ name: "model", description: "Model ID", completes: "models" }],
  operations: ["deleteModel"],
  async run(context, _flags, { model: id }) {
    const plan = {
      summary: `Delete model ${id}`,
      lines: ["The model's logs and prices are not deleted."],
      confirm: id,
    };
    if (!(await context.confirms(plan))) return;
    await withRecentPassword(context, () => context.platform.call("deleteModel", { params: { id } }));
    context.output.done(`Deleted ${id}`);
  },
});
