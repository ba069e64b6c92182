/** Field names of a webhook. */
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
