import { loadCatalogue } from "@tollgate/catalogue/catalogue.ts";
import { factsOfDeployment } from "@tollgate/gateway/model-list/model-facts.ts";
import { type DoctorContext, type Finding, failed, passed, warned } from "./doctor-finding.ts";

const SECRET_KEY_BYTES = 32;
const SHOWN_NAMES = 5;

/** Whether a start would accept the settings. What is wrong in them is told by `config check` in full. */
export function checkConfiguration({ files, settings, settingsProblem }: DoctorContext): Finding[] {
  const named = files.join(", ");
  if (settings === null) {
    const options = files.length === 0 ? "" : ` --config ${files[0]}`;
    return [failed("configuration", settingsProblem ?? "not readable", `tollgate config check${options}`)];
  }
  const { deployments } = settings;
  const groups = new Set(deployments.map(({ modelName }) => modelName)).size;
  const size = `${plural(deployments.length, "deployment")} in ${plural(groups, "group")}`;
  if (deployments.length > 0) return [passed("configuration", `${named} valid, ${size}`)];
  return [
    warned(
      "configuration",
      files.length === 0 ? "no settings file: no model can be called" : `${named} valid, but it names no model`,
      "add a model_list, as tollgate.example.yaml shows",
    ),
  ];
}

/** What is stored and must be read again is sealed with it, and sessions are signed. `dev` keeps its own. */
export function checkSecretKey({ env, dataDir }: DoctorContext): Finding[] {
  const secret = env.TOLLGATE_SECRET_KEY;
  if (!secret && dataDir !== null) return [passed("secret key", "kept with the data")];
  const fix = `set TOLLGATE_SECRET_KEY to the output of: openssl rand -hex ${SECRET_KEY_BYTES}`;
  if (!secret)
    return [
      warned("secret key", "not set: `serve` starts only with --roles gateway,worker, and has no assistants", fix),
    ];
  const length = Buffer.byteLength(secret);
  if (length >= SECRET_KEY_BYTES) return [passed("secret key", `present, ${length} bytes`)];
  return [failed("secret key", `present, but only ${length} bytes`, fix)];
}

/** Whether credit can be bought, and whether payments would be heard of. */
export function checkPayments({ settings, dataDir }: DoctorContext): Finding[] {
  if (settings === null) return [];
  const { provider, stripeSecretKey, stripeWebhookSecrets } = settings.platform.billing;
  if (provider === "off") return [passed("payments", "none are taken (billing.provider is off)")];
  if (provider === "fake") {
    if (dataDir !== null) return [passed("payments", "pretended, as development wants it")];
    const text = "pretended: whoever signs up can give themselves credit";
    return [warned("payments", text, "set billing.provider to stripe, or to off")];
  }
  if (stripeSecretKey === null) {
    return [failed("payments", "stripe has no key", "set billing.stripe.secretKey")];
  }
  if (stripeWebhookSecrets.length > 0) return [passed("payments", "stripe, with a key and a webhook secret")];
  const text = "stripe has no webhook secret: a purchase is noticed only by the sweep, minutes later";
  return [
    warned("payments", text, "set billing.stripe.webhookSecrets to the secret of the endpoint /api/webhooks/stripe"),
  ];
}

/** Without a verified email address, anyone can sign up with the address of somebody else, and learn which are taken. */
export function checkSignUp({ settings, dataDir }: DoctorContext): Finding[] {
  if (settings === null) return [];
  const { mode, verifyEmail } = settings.platform.signUp;
  if (mode !== "open") return [passed("sign-up", mode === "invite" ? "by invitation only" : "closed")];
  if (verifyEmail) return [passed("sign-up", "open, email addresses are verified")];
  if (dataDir !== null) return [passed("sign-up", "open, without verified email addresses, for development")];
  const text = "open, but email addresses are not verified: anyone can learn which addresses have an account";
  return [warned("sign-up", text, "set mail.url and signUp.verifyEmail: true, or signUp.mode to invite or closed")];
}

/** Unpriced is not free: with billing on such calls are refused. Patterns are left out: each name under them is priced on its own. */
export function checkPrices({ settings }: DoctorContext): Finding[] {
  const concrete = (settings?.deployments ?? []).filter(({ params }) => !params.model.includes("*"));
  if (concrete.length === 0) return [];
  const catalogue = loadCatalogue();
  const unpriced = concrete.filter((deployment) => factsOfDeployment(deployment, catalogue).price === null);
  if (unpriced.length === 0) {
    return [passed("prices", `${plural(concrete.length, "deployment")} priced, catalogue of ${catalogue.pricesAsOf}`)];
  }
  const names = unpriced.slice(0, SHOWN_NAMES).map(({ modelName }) => modelName);
  if (unpriced.length > SHOWN_NAMES) names.push("…");
  const isBilled = settings?.billing.provider !== "off";
  return [
    warned(
      "prices",
      `${plural(unpriced.length, "deployment")} unpriced${isBilled ? ", so their calls are refused" : ""}: ${names.join(", ")}`,
      "give them input_cost_per_token and output_cost_per_token",
    ),
  ];
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
