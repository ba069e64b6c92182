import { createHmac, randomBytes } from "node:crypto";

/** Creates a secret for one endpoint, to be shown once. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64url")}`;
}

/** Returns the `X-Gw-Signature` value: the time in seconds, and an HMAC that protects the time and the body. */
export function signWebhook(secret: string, body: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000);
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}
