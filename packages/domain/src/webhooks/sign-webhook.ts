import { createHmac, randomBytes } from "node:crypto";

/** A secret for one listener, to be shown once. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64url")}`;
}

/** The value of `X-Gw-Signature`: the time in seconds, and an HMAC over it and the body, so that neither can be replaced. */
export function signWebhook(secret: string, body: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000);
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}
