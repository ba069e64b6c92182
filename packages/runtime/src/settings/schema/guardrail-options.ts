import { type Static, Type } from "typebox";
import { choice, count, flag, knownName, list, mapOf, names, optional, secret, text } from "./fields.ts";

/** What `regex_pii` finds by itself. */
export const piiEntities = ["email", "phone", "credit_card", "iban", "us_ssn", "ip_address", "api_key"] as const;

const action = choice("What becomes of what is found", ["block", "mask"], "block");

export const KeywordBlockOptions = Type.Object({
  keywords: list("Words and phrases, found as whole words, in any case", text("A word or a phrase")),
  action,
});

export const RegexPiiOptions = Type.Object({
  entities: list("What is looked for", knownName("What is looked for", piiEntities), piiEntities),
  patterns: mapOf("Further things to look for, by name: regular expressions in the syntax of RE2", text("A pattern")),
  action,
});

export const MaxLengthOptions = Type.Object({
  max_characters: count("The most characters the texts of a request, or of an answer, may have together", {
    minimum: 1,
  }),
});

export const ModerationOptions = Type.Object({
  model: text("The group that moderates"),
  categories: names("Only these categories count; all of them where none is given"),
});

export const WebhookOptions = Type.Object({
  url: text("Where texts are posted to"),
  api_key: optional(secret("Sent as a bearer token")),
  secret: optional(secret("Signs what is posted")),
  allow_http: flag("Lets the address be http on other computers: what is posted is then open to the network", false),
});

/** The options of each kind of guardrail, besides those all have. */
export const guardrailOptions = {
  keyword_block: KeywordBlockOptions,
  regex_pii: RegexPiiOptions,
  max_length: MaxLengthOptions,
  moderation: ModerationOptions,
  webhook: WebhookOptions,
} as const;

/** A kind of guardrail and its options. */
export type GuardrailCheck = {
  [Kind in keyof typeof guardrailOptions]: {
    readonly kind: Kind;
    readonly options: Static<(typeof guardrailOptions)[Kind]>;
  };
}[keyof typeof guardrailOptions];
