import type { Operations } from "./operations.generated.ts";

export type WebhookEvent = Operations["createWebhook"]["body"]["events"][number];

// This is a record so that the compiler reports both missing and removed events.
const known: Readonly<Record<WebhookEvent, true>> = {
  "balance.low": true,
  "balance.negative": true,
  "team.blocked": true,
  "team.unblocked": true,
  "purchase.paid": true,
  "purchase.failed": true,
  "purchase.refunded": true,
  "key.created": true,
  "key.revoked": true,
  "key.budget_exhausted": true,
  "member.added": true,
  "member.removed": true,
  "invitation.created": true,
};

/** Every event that a webhook can subscribe to. */
export const webhookEvents = Object.keys(known) as readonly WebhookEvent[];
