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
      { description: "Whose body this is; `chat.completions` when it is not named." },
    ),
  ),
});
export type CostQuoteQuery = { readonly operation?: (typeof operations)[number] };

/** Of an operation that takes a form, that form. */
export const CostQuoteRequest = Type.Object(
  {},
  { additionalProperties: true, description: "The body that operation would get." },
);

const Amount = (description: string) => Type.Unsafe<NanoUsd>({ type: "integer", format: "int64", description });

export const CostQuote = Type.Object({
  model: Type.String({ description: "The model as it was asked for." }),
  model_id: Type.String({ description: "The deployment this is the price of: of several, the dearest." }),
  price_version: Type.Union([Type.String(), Type.Null()], {
    description: "What the books know the price by; null when the model has none.",
  }),
  input_tokens: Type.Integer({ description: "Of the request, counted here." }),
  max_output_tokens: Type.Integer({ description: "The longest answer, all choices together." }),
  expected_nano_usd: Amount(
    "With an answer as long as the organization's answers of this group were in the last seven days on average; " +
      "without history half of the longest, at most 256 tokens a choice.",
  ),
  worst_case_nano_usd: Amount("With the longest answer."),
  hold_nano_usd: Amount("What a call would set aside before it is made."),
  admitted: Type.Boolean({ description: "Whether credit and budgets would let the call through now." }),
  reason: Type.Optional(Type.String({ description: "The code of the refusal, when it would not be admitted." })),
});
export type CostQuote = Static<typeof CostQuote>;
