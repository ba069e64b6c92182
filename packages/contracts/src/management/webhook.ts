import { webhookEvents } from "@tollgate/domain/webhooks/webhook-events.ts";
import Type, { type Static } from "typebox";
import { NullableTime, nullable, PathId, Time } from "./fields.ts";
import { listOf, pageFields } from "./lists.ts";

const Event = Type.Unsafe<(typeof webhookEvents)[number]>({ type: "string", enum: [...webhookEvents] });

const fields = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  status: Type.Union([Type.Literal("active"), Type.Literal("disabled")], {
    description: "disabled: eight delivery attempts of a message failed. Delete the webhook and create a new one",
  }),
  disabledAt: NullableTime,
  lastDeliveredAt: NullableTime,
  createdBy: Type.Integer(),
  createdAt: Time,
};

export const Webhook = Type.Object(fields);

export const NewWebhook = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2_000, description: "A public https:// URL" }),
  events: Type.Array(Event, { minItems: 1, maxItems: webhookEvents.length }),
});

export const CreatedWebhook = Type.Object({
  webhook: Type.Object({
    ...fields,
    secret: nullable(
      Type.String({ description: "The signing secret. Returned only once; null in a replayed response" }),
    ),
  }),
});

export const ListWebhooksQuery = Type.Object(pageFields);
export const WebhookList = listOf(Webhook);
export const WebhookParams = Type.Object({ id: PathId });

export type Webhook = Static<typeof Webhook>;
