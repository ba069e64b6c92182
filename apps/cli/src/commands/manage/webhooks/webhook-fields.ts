/** Webhook field names. */
export const webhookFields = [
  "id",
  "url",
  "events",
  "status",
  "disabledAt",
  "lastDeliveredAt",
  "createdBy",
  "createdAt",
] as const;
