import { toList } from "@tollgate/contracts/management/lists.ts";
import { ListWebhooksQuery, WebhookList } from "@tollgate/contracts/management/webhook.ts";
import { countWebhooks, listWebhooks as readWebhooks } from "@tollgate/db/webhooks/manage-webhooks.ts";
import { operation, read } from "../operation.ts";
import { checkRole } from "./check-role.ts";

export const listWebhooks = operation({
  ...read,
  id: "listWebhooks",
  summary: "List the organization's webhooks",
  tag: "webhooks",
  path: "/api/webhooks",
  auth: "user",
  scope: "organization",
  query: ListWebhooksQuery,
  answers: { 200: { description: "Webhooks, without their secrets", schema: WebhookList } },
  handle: async ({ caller, query }, transaction) => {
    checkRole(caller);
    const organizationId = caller.organization.id;
    const webhooks = await readWebhooks(transaction, organizationId, query);
    return { status: 200, body: toList(webhooks, query, await countWebhooks(transaction, organizationId)) };
  },
});
