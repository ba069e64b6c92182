import { randomUUID } from "node:crypto";
import type { CallInput } from "@tollgate/sdk/platform/platform-client.ts";
import { webhookEvents } from "@tollgate/sdk/platform/webhook-events.ts";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { printSecret } from "../keys/print-secret.ts";
import { webhookFields } from "./webhook-fields.ts";

/** `tollgate webhooks create`: creates a webhook. Its signing secret is printed once. */
export const webhooksCreate = defineCommand({
  kind: "change",
  examples: [
    "tollgate webhooks create https://example.org/hook --event balance.low --event team.blocked",
    "tollgate webhooks create https://example.org/hook --event purchase.paid -q > secret.txt",
  ],
  arguments: [{ name: "url", description: "URL that receives the events" }],
  flags: {
    event: {
      type: "string",
      multiple: true,
      value: "EVENT",
      choices: webhookEvents,
      description: "Event to send",
    },
  },
  fields: [...webhookFields, "secret"],
  operations: ["createWebhook"],
  async run(context, { event: events }, { url }) {
    if (events.length === 0)
      throw usageError("No events specified.", "Add at least one event, for example --event balance.low.");
    const body = { url, events } as CallInput<"createWebhook">["body"];
    if (!(await context.confirms({ summary: `Create a webhook for ${events.join(", ")} at ${url}`, request: body })))
      return;
    const { webhook } = await context.platform.call("createWebhook", { body, idempotencyKey: randomUUID() });
    if (context.output.isJson) return context.output.record(webhook, () => "");
    context.output.done(`Created webhook ${webhook.id}`);
    printSecret(context, webhook.secret as string, "secret");
  },
});
