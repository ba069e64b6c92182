import { type DoctorContext, type Finding, failed, passed, warned } from "./doctor-finding.ts";

const SECRET_KEY_BYTES = 32;

/** Checks that the server would start with these settings. `config check` lists all problems in detail. */
export function checkConfiguration({ files, settings, settingsProblem }: DoctorContext): Finding[] {
  const named = files.join(", ");
  if (settings === null) {
    const options = files.length === 0 ? "" : ` --config ${files[0]}`;
    return [failed("configuration", settingsProblem ?? "unreadable", `tollgate config check${options}`)];
  }
  const { deployments } = settings;
  const groups = new Set(deployments.map(({ modelName }) => modelName)).size;
  const size = `${plural(deployments.length, "deployment")} in ${plural(groups, "model group")}`;
  if (deployments.length > 0) return [passed("configuration", `${named} valid, ${size}`)];
  return [
    warned(
      "configuration",
      files.length === 0 ? "no settings file, so no models are available" : `${named} valid, but it defines no models`,
      "Add a model_list. See tollgate.example.yaml.",
    ),
  ];
}

/** Checks the secret key, which encrypts stored secrets and signs sessions. `dev` generates and stores a key. */
export function checkSecretKey({ env, dataDir }: DoctorContext): Finding[] {
  const secret = env.TOLLGATE_SECRET_KEY;
  if (!secret && dataDir !== null) return [passed("secret key", "stored in the data directory")];
  const fix = `Set TOLLGATE_SECRET_KEY to the output of: openssl rand -hex ${SECRET_KEY_BYTES}`;
  if (!secret)
    return [
      warned(
        "secret key",
        "not set: assistants are unavailable, and `tollgate serve` requires --roles gateway,worker",
        fix,
      ),
    ];
  const length = Buffer.byteLength(secret);
  if (length >= SECRET_KEY_BYTES) return [passed("secret key", `set, ${length} bytes`)];
  return [failed("secret key", `set, but only ${length} bytes`, fix)];
}

/** Checks that users can buy credit and that payment webhooks can be received. */
export function checkPayments({ settings, dataDir }: DoctorContext): Finding[] {
  if (settings === null) return [];
  const { provider, stripeSecretKey, stripeWebhookSecrets } = settings.platform.billing;
  if (provider === "off") return [passed("payments", "disabled (billing.provider is off)")];
  if (provider === "fake") {
    if (dataDir !== null) return [passed("payments", "simulated (for development only)")];
    const text = "simulated: any user who signs up can add credit without paying";
    return [warned("payments", text, "Set billing.provider to stripe or off.")];
  }
  if (stripeSecretKey === null) {
    return [failed("payments", "the Stripe secret key is not set", "Set billing.stripe.secretKey.")];
  }
  if (stripeWebhookSecrets.length > 0) return [passed("payments", "Stripe, with a secret key and a webhook secret")];
  const text = "no Stripe webhook secret is set: payments are detected only by polling, minutes later";
  return [
    warned(
      "payments",
      text,
      "Set billing.stripe.webhookSecrets to the signing secret of the /api/webhooks/stripe endpoint.",
    ),
  ];
}

/** Warns about open sign-up without email verification, because it reveals which email addresses have an account. */
export function checkSignUp({ settings, dataDir }: DoctorContext): Finding[] {
  if (settings === null) return [];
  const { mode, verifyEmail } = settings.platform.signUp;
  if (mode !== "open") return [passed("sign-up", mode === "invite" ? "by invitation only" : "closed")];
  if (verifyEmail) return [passed("sign-up", "open, with email verification")];
  if (dataDir !== null) return [passed("sign-up", "open to anyone, no email verification (for development only)")];
  const text = "open to anyone, no email verification: anyone can find out which email addresses have an account";
  return [
    warned(
      "sign-up",
      text,
      "Set email.url and set signUp.verifyEmail to true, or set signUp.mode to invite or closed.",
    ),
  ];
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
