import { readAllowedTarget, readAllowedTargets } from "@tollgate/domain/network/allowed-target.ts";
import { readOutboundTarget } from "@tollgate/domain/network/outbound-target.ts";
import { readPrivateKey, readPublicKey } from "@tollgate/domain/signing-keys.ts";
import { defaultPlatformSettings } from "./platform-settings.ts";
import type { BillingSection, SettingsFile } from "./schema/settings-file.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { descend, type Place } from "./source-tree.ts";

/** Minimum length of a secret. An attacker could guess a shorter one to forge a payment or become an administrator. */
const SHORTEST_SECRET = 32;
const CENT_NANO_USD = 10_000_000n;
const MAIL_SCHEMES = /^smtps?:\/\/[^/]/;

/** Checks the catalog key, checkpoint, payment, admission, forwarding, outbound access, sign-up, and email settings. */
export function checkPlatform(file: SettingsFile, reader: SettingsReader): void {
  checkPayments(file.billing, reader);
  checkAdmission(file.billing, reader);
  checkForwarding(file, reader);
  file.platform.outboundAllow.forEach((entry, index) => {
    if (readAllowedTarget(entry) !== null) return;
    const place = placeOf(reader, file.platform, "outboundAllow", index);
    const suggestion = "expected a host, host:port, an IP address, or a range such as 10.2.0.0/16";
    reader.findings.refuse(place, `outboundAllow[${index}]`, suggestion);
  });
  const { publicKey } = file.prices;
  if (publicKey !== null && readPublicKey(publicKey) === null) {
    const suggestion = "expected an Ed25519 public key in base64 (DER) or PEM";
    reader.findings.refuse(placeOf(reader, file.prices, "publicKey"), "prices.publicKey", suggestion);
  }
  checkCheckpoints(file, reader);
  const { bootstrapSecret } = file.signUp;
  if (bootstrapSecret !== null && bootstrapSecret.reveal().length < SHORTEST_SECRET) {
    refuseShort(reader, file.signUp, "bootstrapSecret", "bootstrapSecret");
  }
  const { url } = file.email;
  if (url !== null && !MAIL_SCHEMES.test(url.reveal())) {
    reader.findings.refuse(placeOf(reader, file.email, "url"), "email.url", "it must start with smtp:// or smtps://");
  } else if (url !== null && file.platform.publicUrl === null) {
    const suggestion = "set platform.publicUrl too; links in emails start with it";
    reader.findings.refuse(placeOf(reader, file.email, "url"), "email.url", suggestion);
  }
  if (file.signUp.verifyEmail && url === null) {
    const suggestion = "email verification requires email.url";
    reader.findings.refuse(placeOf(reader, file.signUp, "verifyEmail"), "signUp.verifyEmail", suggestion);
  }
}

function checkCheckpoints({ checkpoints, platform }: SettingsFile, reader: SettingsReader): void {
  const { signingKey, folder, webhookUrl, webhookSecret } = checkpoints;
  const refuse = (name: keyof typeof checkpoints, suggestion: string) =>
    reader.findings.refuse(placeOf(reader, checkpoints, name), `checkpoints.${name}`, suggestion);
  if (signingKey !== null && readPrivateKey(signingKey.reveal()) === null) {
    refuse("signingKey", "expected an Ed25519 private key in PEM or base64 (DER)");
  } else if (signingKey !== null && folder === null && webhookUrl === null) {
    refuse("signingKey", "set checkpoints.folder or checkpoints.webhookUrl too");
  } else if (signingKey === null && (folder ?? webhookUrl) !== null) {
    refuse(folder === null ? "webhookUrl" : "folder", "set checkpoints.signingKey too");
  }
  if (webhookUrl === null) return;
  const rule = { allowed: readAllowedTargets(platform.outboundAllow), allowsQuery: true };
  if (readOutboundTarget(webhookUrl, rule).kind === "refused") {
    refuse("webhookUrl", "expected an https URL of a public host, or a target in platform.outboundAllow");
  } else if (webhookSecret === null || webhookSecret.reveal().length < SHORTEST_SECRET) {
    refuse("webhookUrl", `set checkpoints.webhookSecret to at least ${SHORTEST_SECRET} characters`);
  }
}

function checkPayments(billing: BillingSection, reader: SettingsReader): void {
  const { stripe, provider, minPurchase, maxPurchase } = billing;
  if (provider === "stripe" && stripe.secretKey === null) {
    const suggestion = "set billing.stripe.secretKey: os.environ/STRIPE_SECRET_KEY";
    reader.findings.refuse(placeOf(reader, billing, "provider"), "provider: stripe requires a secret key", suggestion);
  }
  stripe.webhookSecrets.forEach((secret, index) => {
    if (secret.reveal().length >= SHORTEST_SECRET) return;
    refuseShort(reader, stripe, `webhookSecrets[${index}]`, "webhookSecrets", index);
  });
  for (const [name, amount] of Object.entries({ minPurchase, maxPurchase })) {
    if (amount === null || (amount > 0n && amount % CENT_NANO_USD === 0n)) continue;
    reader.findings.refuse(placeOf(reader, billing, name), name, "expected a positive integer number of cents");
  }
  const { minPurchaseNanoUsd, maxPurchaseNanoUsd } = defaultPlatformSettings.billing;
  if ((minPurchase ?? minPurchaseNanoUsd) > (maxPurchase ?? maxPurchaseNanoUsd)) {
    reader.findings.refuse(placeOf(reader, billing, "minPurchase"), "minPurchase", "it is larger than maxPurchase");
  }
}

/** The looser policies let a hold exceed the free credit, so they need an overdraft amount. */
function checkAdmission(billing: BillingSection, reader: SettingsReader): void {
  const { admission, overdraft } = billing;
  if (admission === "strict" || overdraft > 0) return;
  reader.findings.refuse(
    placeOf(reader, billing, "admission"),
    `admission: ${admission} requires billing.overdraft above 0`,
    "set billing.overdraft to the nano-USD by which one hold can exceed the available credit, or set billing.admission: strict",
  );
}

/**
 * Rejects general forwarding of unknown fields while billing is on, because such fields can cause uncharged costs.
 * Forwarding is allowed only for individual upstreams.
 */
function checkForwarding({ billing, gw_settings: gateway }: SettingsFile, reader: SettingsReader): void {
  if (billing.provider === "off" || gateway.unknown_params !== "forward") return;
  reader.findings.refuse(
    placeOf(reader, gateway, "unknown_params"),
    "unknown_params: forward with billing on",
    "use reject or drop here, and set litellm_params.unknown_params: forward on deployments whose provider you trust",
  );
}

function refuseShort(
  reader: SettingsReader,
  section: object,
  name: string,
  ...path: readonly [string, ...(string | number)[]]
): void {
  const suggestion = `it is shorter than ${SHORTEST_SECRET} characters and could be guessed`;
  reader.findings.refuse(placeOf(reader, section, ...path), name, suggestion);
}

function placeOf(reader: SettingsReader, section: object, ...path: readonly (string | number)[]): Place {
  const source = reader.sourceOf(section);
  return (descend(source, ...path) ?? source).place;
}
