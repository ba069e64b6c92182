import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { WebhookParams } from "@tollgate/contracts/management/webhook.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { deleteWebhook as removeWebhook } from "@tollgate/db/webhooks/manage-webhooks.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { checkRole } from "./check-role.ts";

export const deleteWebhook = operation({
  ...write,
  id: "deleteWebhook",
  summary: "Delete a webhook. Pending deliveries are dropped",
  tag: "webhooks",
  method: "DELETE",
  path: "/api/webhooks/{id}",
  auth: "user",
  scope: "organization",
  idempotency: "none",
  bodyLimitBytes: 0,
  params: WebhookParams,
  answers: { 204: { description: "The webhook is deleted" } },
  handle: async (input, transaction) => {
    const { id: organizationId } = input.caller.organization;
    checkRole(input.caller);
    const removed = await removeWebhook(transaction, organizationId, input.params.id);
    if (removed === null) throw unknownObject("webhook");
    await writeAudit(transaction, {
      organizationId,
      actor: actorOf(input),
      action: "org.webhook_deleted",
      target: { type: "webhook", id: removed.id },
      before: { host: new URL(removed.url).host, events: removed.events },
    });
    return { status: 204 };
  },
});
