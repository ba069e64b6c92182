import { type Static, Type } from "typebox";
import { choice, count, flag, knownName, list, mapOf, names, optional, secret, text } from "./fields.ts";

/** Entities that `regex_pii` detects by default. */
export const piiEntities = ["email", "phone", "credit_card", "iban", "us_ssn", "ip_address", "api_key"] as const;

const action = choice("What to do with a match", ["block", "mask"], "block");

const KeywordBlockOptions = Type.Object({
  keywords: list("Words and phrases to match as whole words, case-insensitively", text("A word or a phrase")),
  action,
});

const RegexPiiOptions = Type.Object({
  entities: list("What to look for", knownName("What to look for", piiEntities), piiEntities),
  patterns: mapOf("Additional patterns by name, as RE2 regular expressions", text("A pattern")),
  action,
});

const MaxLengthOptions = Type.Object({
  max_characters: count("Max total characters in a request or a response", {
    minimum: 1,
  }),
});

const ModerationOptions = Type.Object({
  model: text("The moderation model group"),
  categories: names("Categories to check; if empty, all categories"),
});

const WebhookOptions = Type.Object({
  url: text("The webhook URL"),
  api_key: optional(secret("API key to send as a bearer token")),
  secret: optional(secret("Secret that signs requests to the webhook")),
  allow_http: flag("Allow http URLs on other hosts; the texts are then sent unencrypted", false),
});

/** Options by guardrail kind, in addition to the common options. */
export const guardrailOptions = {
  keyword_block: KeywordBlockOptions,
  regex_pii: RegexPiiOptions,
  max_length: MaxLengthOptions,
  moderation: ModerationOptions,
  webhook: WebhookOptions,
} as const;

/** A guardrail kind and its options. */
export type GuardrailCheck = {
  [Kind in keyof typeof guardrailOptions]: {
    readonly kind: Kind;
    readonly options: Static<(typeof guardrailOptions)[Kind]>;
  };
}[keyof typeof guardrailOptions];
