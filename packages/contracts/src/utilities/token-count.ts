import Type, { type Static } from "typebox";
import { AnyObject } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

const Objects = Type.Array(AnyObject, { maxItems: 10_000 });

export const TokenCountQuery = Type.Object({
  call_endpoint: Type.Optional(
    Type.Boolean({ description: "Asks the provider of the model, where it counts tokens, instead of counting here." }),
  ),
});
export type TokenCountQuery = Static<typeof TokenCountQuery>;

export const TokenCountRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512, description: "A group, an alias, or any model's name." }),
    prompt: Nullable(Type.String()),
    messages: Nullable(Objects),
    contents: Nullable(Type.Array(AnyObject, { maxItems: 10_000, description: "Messages in Gemini's form." })),
    tools: Nullable(Type.Array(AnyObject, { maxItems: 128 })),
    system: Nullable(Type.Union([Type.String(), Objects], { description: "Instructions in Anthropic's form." })),
  },
  { additionalProperties: true },
);
export type TokenCountRequest = Static<typeof TokenCountRequest>;

export const TokenCountResponse = Type.Object({
  total_tokens: Type.Integer(),
  request_model: Type.String({ description: "The model as it was asked for." }),
  model_used: Type.String({ description: "The provider's name of the model that was counted for." }),
  tokenizer_type: Type.String({
    description:
      "`openai_tokenizer`, `<provider>_api` when the provider counted, or `approximate` for models whose vocabulary is " +
      "not known here.",
  }),
  original_response: Type.Union([AnyObject, Type.Null()], { description: "What the provider answered, if asked." }),
  error: Type.Boolean(),
  error_message: Type.Union([Type.String(), Type.Null()], {
    description: "Why the provider did not count, when it was asked and the count is ours.",
  }),
  status_code: Type.Union([Type.Integer(), Type.Null()], { description: "The provider's status, if asked." }),
});
export type TokenCountResponse = Static<typeof TokenCountResponse>;
