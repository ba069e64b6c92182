import type { NanoUsd } from "@tollgate/domain/money.ts";
import Type, { type Static } from "typebox";

const operations = [
  "chat.completions",
  "completions",
  "embeddings",
  "moderations",
  "audio.speech",
  "audio.transcriptions",
  "images.generations",
  "rerank",
  "messages",
  "responses",
] as const;

export const CostQuoteQuery = Type.Object({
  operation: Type.Optional(
    Type.Union(
      operations.map((name) => Type.Literal(name)),
      { description: "The operation that the body belongs to. Defaults to `chat.completions`." },
    ),
  ),
});
export type CostQuoteQuery = { readonly operation?: (typeof operations)[number] };

/** The operation's request body, or its form if it takes one. */
export const CostQuoteRequest = Type.Object(
  {},
  { additionalProperties: true, description: "The request body for that operation." },
);

const Amount = (description: string) => Type.Unsafe<NanoUsd>({ type: "integer", format: "int64", description });

export const CostQuote = Type.Object({
  model: Type.String({ description: "The requested model." }),
  model_id: Type.String({
    description: "The deployment that the price belongs to. If there are several, the most expensive one.",
  }),
  price_version: Type.Union([Type.String(), Type.Null()], {
    description: "The price ID in the ledger, or null if the model has no price.",
  }),
  input_tokens: Type.Integer({ description: "Input tokens, counted by the gateway." }),
  max_output_tokens: Type.Integer({ description: "Max output tokens for all choices combined." }),
  expected_nano_usd: Amount(
    "Cost with the organization's average response length for this model group in the last seven days; " +
      "without history, half of the maximum, up to 256 tokens per choice.",
  ),
  worst_case_nano_usd: Amount("Cost with max output tokens."),
  hold_nano_usd: Amount("The amount that a request would hold before it is sent."),
  admitted: Type.Boolean({ description: "Whether the current credit and budgets would admit the request." }),
  reason: Type.Optional(Type.String({ description: "The error code if the request would not be admitted." })),
});
export type CostQuote = Static<typeof CostQuote>;
