import { readBillingContact } from "@tollgate/db/outbox/find-contacts.ts";
import {
  type DeliveryId,
  findWaitingDelivery,
  giveUpOn,
  recordDelivered,
  recordFailedTry,
  type WaitingDelivery,
} from "@tollgate/db/webhooks/deliveries.ts";
import { signWebhook } from "@tollgate/domain/webhooks/sign-webhook.ts";
import { nextWebhookTry, WEBHOOK_TRIES } from "@tollgate/domain/webhooks/webhook-retries.ts";
import type { JobContext } from "./job-context.ts";
import { enqueueMail } from "./mail/enqueue-mail.ts";
import { type PostOutcome, postWebhook } from "./post-webhook.ts";

/** Makes one attempt to deliver an event to one webhook, and schedules the next attempt or gives up. */
export async function deliverWebhook(context: JobContext, payload: unknown): Promise<void> {
  const { db, now } = context;
  const id = payload as DeliveryId;
  const delivery = await findWaitingDelivery(db, id);
  if (delivery === null) return;
  const { isTaken, outcome } = await post(context, delivery);
  if (isTaken) return recordDelivered(db, id, outcome, now());
  const nextAt = nextWebhookTry(delivery.attempts + 1, now(), Math.random());
  if (nextAt !== null) return recordFailedTry(db, id, outcome, nextAt);
  await giveUp(context, id, delivery, outcome);
}

function post({ settings, secrets, now }: JobContext, delivery: WaitingDelivery): Promise<PostOutcome> {
  const { event, organizationId, webhookId, url } = delivery;
  const { id, type, createdAt, data } = event;
  const body = JSON.stringify({ id, type, createdAt: createdAt.toISOString(), organizationId, data });
  const secret = secrets.open(delivery.secret, `webhook:${webhookId}`);
  const headers = { "x-gw-event-id": id, "x-gw-signature": signWebhook(secret, body, now()) };
  return postWebhook({ url, headers, body }, { allowed: settings().outboundAllow, allowsQuery: true });
}

async function giveUp(
  context: JobContext,
  id: DeliveryId,
  { organizationId, webhookId }: WaitingDelivery,
  outcome: string,
): Promise<void> {
  await giveUpOn(context.db, { ...id, organizationId }, outcome, context.now(), async (transaction) => {
    const contact = await readBillingContact(transaction, organizationId);
    if (contact === null) return;
    const { email: to, organizationName } = contact;
    const data = { organizationName, webhookId, outcome, tries: String(WEBHOOK_TRIES) };
    await enqueueMail(context, transaction, { to, template: "webhook_disabled", data });
  });
}
