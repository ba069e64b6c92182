import { Failure } from "@tollgate/contracts/failures.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import Type from "typebox";
import { operation, write } from "../operation.ts";
import { WEBHOOK_SECRET_MIN_LENGTH } from "./billing-provider.ts";
import { takePayment } from "./take-payment.ts";

const BODY_LIMIT_BYTES = 256 * 1024;

/** Receives payment events. Only these events add credit. Redirects of the payer's browser never add credit. */
export const receiveStripeWebhook = operation({
  ...write,
  id: "receiveStripeWebhook",
  summary: "Receive a payment provider event",
  tag: "credits",
  path: "/api/webhooks/stripe",
  auth: "signature",
  scope: "own",
  // Don't limit the rate, because the provider may send bursts after an outage, and rejecting an unsigned request is
  // cheap.
  rate: "unlimited",
  // The event ID makes deliveries idempotent.
  idempotency: "none",
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answers: { 200: { description: "Event accepted", schema: Type.Object({ received: Type.Boolean() }) } },
  handle: async ({ rawBody, headers, origin }, services) => {
    const { billing } = services;
    if (billing === null || !hasSecret(services.settings())) {
      throw new Failure("UNKNOWN_PATH", "Unknown path.");
    }
    await takePayment(billing, { body: rawBody, headers }, origin, services);
    return { status: 200, body: { received: true } };
  },
});

function hasSecret({ billing }: PlatformSettings): boolean {
  return billing.stripeWebhookSecrets.some((secret) => secret.reveal().length >= WEBHOOK_SECRET_MIN_LENGTH);
}
