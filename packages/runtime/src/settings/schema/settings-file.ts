import { type Static, Type } from "typebox";
import { topLevelWithoutEffect } from "../without-effect.ts";
import { choice, count, flag, list, mapOf, number, optional, raw, text } from "./fields.ts";
import { GatewaySection } from "./gateway-section.ts";
import { GeneralSection } from "./general-section.ts";
import { Credential, Guardrail, ModelEntry } from "./model-list.ts";
import {
  AuthSection,
  CheckpointsSection,
  EmailSection,
  LimitsSection,
  PlatformSection,
  paymentFields,
  SignUpSection,
  UsageSection,
} from "./platform-sections.ts";
import { RouterSection } from "./router-section.ts";

/** Maximum hold: 1,000,000 USD. The ledger can add a thousand holds of this size without overflow. */
const MAX_HOLD_NANO_USD = 1_000_000_000_000_000;

const BillingSection = Type.Object(
  {
    provider: choice("Payment provider; off disables charging", ["fake", "stripe", "off"], "off"),
    admission: choice(
      "Available credit that a request requires: the whole hold (strict), more than zero (positive), or at least zero (nonnegative)",
      ["strict", "positive", "nonnegative"],
      "strict",
    ),
    overdraft: count(
      "Max amount by which one hold can exceed the available credit, in nano-USD; positive and nonnegative require a value above 0",
      {
        default: 0,
        maximum: MAX_HOLD_NANO_USD,
      },
    ),
    maxHold: count(
      "Max hold per request, in nano-USD (1 USD is 1000000000); requests that need a larger hold are refused",
      {
        default: 100_000_000_000,
        minimum: 1,
        maximum: MAX_HOLD_NANO_USD,
      },
    ),
    outputStep: count("Output tokens to include in each hold for a stream without an output limit", {
      default: 4096,
      minimum: 1,
      maximum: 1_000_000,
    }),
    capOutput: flag("If the request has no output limit, send the provider the limit that the hold covers", true),
    holdFactor: number("Share of the maximum cost to hold", { default: 1, minimum: 0.1, maximum: 1 }),
    exposeBalance: flag("Return the balance in a response header (no effect in this version)", false),
    failOpen: flag("Serve requests while the ledger is unavailable", false),
    ...paymentFields,
  },
  { description: "Prepaid credit", default: {} },
);

const PricesSection = Type.Object(
  {
    disputed: choice(
      "Catalog prices that the catalog's sources disagree about: apply the higher amount, or refuse the model until an operator confirms a price",
      ["higher", "refuse"],
      "higher",
    ),
    maxAgeDays: count(
      "Age of the catalog's prices, in days, from which `tollgate doctor` fails. It warns from half of it",
      {
        default: 180,
        minimum: 1,
        maximum: 3_650,
      },
    ),
    publicKey: optional(
      text("Ed25519 public key that verifies catalog editions, in base64 or PEM, instead of the built-in key"),
    ),
  },
  { description: "Catalog prices", default: {} },
);

const AssistantsSection = Type.Object(
  {
    mode: choice(
      "Run assistants on this server or pass them to an upstream (this version always runs them on this server)",
      ["native", "passthrough"],
      "native",
    ),
    litellm_params: optional(raw("Upstream for passthrough")),
    slots: count("Max concurrent runs per worker process", { minimum: 1, maximum: 1_000, default: 50 }),
    organization_weights: mapOf(
      "Shares of organizations in the slots, by organization ID; an organization without an entry has 1",
      count("A share relative to 1", { minimum: 1, maximum: 100 }),
    ),
    queued_runs_per_key: count("Max queued runs per key", { minimum: 1, maximum: 100_000, default: 200 }),
    queued_runs_per_organization: count("Max queued runs per organization", {
      minimum: 1,
      maximum: 100_000,
      default: 1_000,
    }),
    listeners_per_key: count("Max open streams of run events per key, in each gateway process", {
      minimum: 1,
      maximum: 100_000,
      default: 100,
    }),
    listeners_per_organization: count("Max open streams of run events per organization, in each gateway process", {
      minimum: 1,
      maximum: 100_000,
      default: 500,
    }),
    stored_mb_per_key: count("Max stored assistants, threads, and responses per key, in MB", {
      minimum: 1,
      maximum: 100_000_000,
      default: 2_000,
    }),
    stored_mb_per_organization: count("Max stored assistants, threads, and responses per organization, in MB", {
      minimum: 1,
      maximum: 100_000_000,
      default: 10_000,
    }),
    stored_mb_without_credit: count("The same per organization without credit, in MB, if billing is enabled", {
      maximum: 100_000_000,
      default: 10,
    }),
    retention_days: optional(
      count("Days after which an inactive thread is deleted; if not set, threads are never deleted", {
        minimum: 1,
        maximum: 36_500,
      }),
    ),
  },
  { description: "Assistants, threads, and runs", default: {} },
);

const TrainingSection = Type.Object(
  { runs_dir: optional(text("Folder that contains the training runs shown to administrators in the console")) },
  { description: "Training runs", default: {} },
);

/** The single schema of the settings file. Parsing, known names, and the editor schema all derive from it. */
export const SettingsFile = Type.Object(
  {
    model_list: list("Deployments", ModelEntry),
    credential_list: list("Credentials shared by deployments", Credential),
    gw_settings: GatewaySection,
    router_settings: RouterSection,
    general_settings: GeneralSection,
    billing: BillingSection,
    prices: PricesSection,
    platform: PlatformSection,
    signUp: SignUpSection,
    auth: AuthSection,
    email: EmailSection,
    usage: UsageSection,
    checkpoints: CheckpointsSection,
    limits: LimitsSection,
    guardrails: list("Checks on requests and responses", Guardrail),
    assistants: AssistantsSection,
    training_settings: TrainingSection,
    environment_variables: mapOf("Environment variables that references in this file can use", raw("The value")),
    include: optional(raw("Additional settings files, with paths relative to this file")),
  },
  { "x-aliases": { litellm_settings: "gw_settings" }, "x-without-effect": topLevelWithoutEffect },
);

export type SettingsFile = Static<typeof SettingsFile>;
export type BillingSection = SettingsFile["billing"];
