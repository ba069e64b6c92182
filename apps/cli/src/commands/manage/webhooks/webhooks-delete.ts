import { defineCommand } from "../../../command.ts";

/** The `tollgate webhooks delete` command. */
export const webhooksDelete = defineCommand({
  kind: "change",
  examples: ["tollgate webhooks delete whk_01J…", "tollgate webhooks delete whk_01J… --yes"],
  arguments: [{ name: "webhook", description: "Webhook ID" }],
  fields: ["id", "deleted"],
  operations: ["deleteWebhook"],
  async run(context, _, { webhook: id }) {
    const plan = { summary: `Delete webhook ${id}`, confirm: id, request: { id } };
    if (!(await context.confirms(plan))) return;
    await context.platform.call("deleteWebhook", { params: { id } });
    context.output.record({ id, deleted: true }, () => "");
    context.output.done(`Deleted webhook ${id}`);
  },
});
