import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { BillingProvider } from "../credits/billing-provider.ts";

/** Returns the configured billing provider; null if billing is off. Imports only the selected adapter. */
export async function chooseBilling({ billing }: PlatformSettings): Promise<BillingProvider | null> {
  const common = { webhookSecrets: () => billing.stripeWebhookSecrets, now: () => new Date() };
  if (billing.provider === "fake") {
    const { createFakeBilling } = await import("./fake-billing.ts");
    return createFakeBilling(common);
  }
  if (billing.provider === "off" || billing.stripeSecretKey === null) return null;
  const { createStripeBilling } = await import("./stripe-billing.ts");
  const { stripeSecretKey: secretKey, stripeApiBase: apiBase } = billing;
  const Agent = apiBase?.startsWith("http:") ? HttpAgent : HttpsAgent;
  return createStripeBilling({
    ...common,
    secretKey,
    apiBase,
    agent: new Agent({ keepAlive: true, proxyEnv: process.env }),
  });
}
