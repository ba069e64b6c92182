import { type Static, Type } from "typebox";
import { topLevelWithoutEffect } from "../without-effect.ts";
import { choice, count, flag, list, mapOf, number, optional, raw, text } from "./fields.ts";
import { GatewaySection } from "./gateway-section.ts";
import { GeneralSection } from "./general-section.ts";
import { Credential, Guardrail, ModelEntry } from "./model-list.ts";
import {
  AuthSection,
  LimitsSection,
  MailSection,
  PlatformSection,
  paymentFields,
  SignUpSection,
  UsageSection,
} from "./platform-sections.ts";
import { RouterSection } from "./router-section.ts";

/** The ledger can add up a thousand holds of this size without overflow: 1,000,000 USD. */
const MAX_HOLD_NANO_USD = 1_000_000_000_000_000;

const BillingSection = Type.Object(
  {
    provider: choice("Payment provider; with off, nothing is charged", ["fake", "stripe", "off"], "off"),
    admission: choice(
      "The available credit that admits a request: the whole hold, anything above zero, or zero and above",
      ["strict", "positive", "nonnegative"],
      "strict",
    ),
    overdraft: count(
      "Nano-USD by which one hold can exceed the available credit; positive and nonnegative require a value above 0",
      {
        default: 0,
        maximum: MAX_HOLD_NANO_USD,
      },
    ),
    maxHold: count(
      "Max hold per request in nano-USD (1 USD is 1000000000); requests that need a larger one are refused",
      {
        default: 100_000_000_000,
        minimum: 1,
        maximum: MAX_HOLD_NANO_USD,
      },
    ),
    outputStep: count("Output tokens to hold per step for a stream without a limit", {
      default: 4096,
      minimum: 1,
      maximum: 1_000_000,
    }),
    capOutput: flag("Send the held output limit to the provider if the request has no limit", true),
    holdFactor: number("Share of the maximum cost to hold", { default: 1, minimum: 0.1, maximum: 1 }),
    exposeBalance: flag("Return the balance in a header of each response (no effect in this version)", false),
    failOpen: flag("Serve requests while nothing can be charged", false),
    ...paymentFields,
  },
  { description: "Prepaid credit", default: {} },
);

const AssistantsSection = Type.Object(
  {
    mode: choice(
      "Run assistants on this server or pass them to an upstream (this version always runs them on this server)",
      ["native", "passthrough"],
      "native",
    ),
    litellm_params: optional(raw("The upstream for passthrough")),
    slots: count("Max concurrent runs per worker process", { minimum: 1, maximum: 1_000, default: 50 }),
    retention_days: optional(
      count("Days after which an inactive thread is deleted; if not set, never", {
        minimum: 1,
        maximum: 36_500,
      }),
    ),
  },
  { description: "Assistants, threads, and runs", default: {} },
);

const TrainingSection = Type.Object(
  { runs_dir: optional(text("Folder of training runs to show to administrators in the console")) },
  { description: "Training runs", default: {} },
);

/** Single schema of the settings file: reading, known names and the editor schema all derive from it. */
export const SettingsFile = Type.Object(
  {
    model_list: list("Deployments", ModelEntry),
    credential_list: list("Credentials that deployments share", Credential),
    gw_settings: GatewaySection,
    router_settings: RouterSection,
    general_settings: GeneralSection,
    billing: BillingSection,
    platform: PlatformSection,
    signUp: SignUpSection,
    auth: AuthSection,
    mail: MailSection,
    usage: UsageSection,
    limits: LimitsSection,
    guardrails: list("Checks of requests and responses", Guardrail),
    assistants: AssistantsSection,
    training_settings: TrainingSection,
    environment_variables: mapOf("Environment variables for references in this file", raw("The value")),
    include: optional(raw("Additional files, relative to this one")),
  },
  { "x-aliases": { litellm_settings: "gw_settings" }, "x-without-effect": topLevelWithoutEffect },
);

export type SettingsFile = Static<typeof SettingsFile>;
export type BillingSection = SettingsFile["billing"];
