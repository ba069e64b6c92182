/** Events that webhooks can subscribe to. Other outbox rows are for the operator. */
export const webhookEvents = [
  "balance.low",
  "balance.negative",
  "team.blocked",
  "team.unblocked",
  "purchase.paid",
  "purchase.failed",
  "purchase.refunded",
  "key.created",
  "key.revoked",
  "key.budget_exhausted",
  "member.added",
  "member.removed",
  "invitation.created",
] as const;
