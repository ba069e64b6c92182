import Type, { type Static } from "typebox";
import { AnyObject } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

const Objects = Type.Array(AnyObject, { maxItems: 10_000 });

export const TokenCountQuery = Type.Object({
  call_endpoint: Type.Optional(
    Type.Boolean({ description: "If the provider supports token counting, use its count instead of a local one." }),
  ),
});
export type TokenCountQuery = Static<typeof TokenCountQuery>;

export const TokenCountRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512, description: "A model group, an alias, or any model name." }),
    prompt: Nullable(Type.String()),
    messages: Nullable(Objects),
    contents: Nullable(Type.Array(AnyObject, { maxItems: 10_000, description: "Messages in Gemini format." })),
    tools: Nullable(Type.Array(AnyObject, { maxItems: 128 })),
    system: Nullable(Type.Union([Type.String(), Objects], { description: "Instructions in Anthropic format." })),
  },
  { additionalProperties: true },
);
export type TokenCountRequest = Static<typeof TokenCountRequest>;

export const TokenCountResponse = Type.Object({
  total_tokens: Type.Integer(),
  request_model: Type.String({ description: "The requested model." }),
  model_used: Type.String({ description: "The provider model ID that the count is for." }),
  tokenizer_type: Type.String({
    description:
      "`openai_tokenizer`, `<provider>_api` if the provider counted, or `approximate` for models whose vocabulary is " +
      "unknown.",
  }),
  original_response: Type.Union([AnyObject, Type.Null()], {
    description: "The provider's response, if it was called.",
  }),
  error: Type.Boolean(),
  error_message: Type.Union([Type.String(), Type.Null()], {
    description: "The provider's error, if it was called and the count is local.",
  }),
  status_code: Type.Union([Type.Integer(), Type.Null()], {
    description: "The provider's status code, if it was called.",
  }),
});
export type TokenCountResponse = Static<typeof TokenCountResponse>;
