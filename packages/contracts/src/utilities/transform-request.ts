import Type, { type Static } from "typebox";
import { AnyObject } from "../inference/shared-fields.ts";

/** Each type also has a variant with the prefix `a`, which clients use for asynchronous calls. */
const callTypes = [
  "completion",
  "acompletion",
  "text_completion",
  "atext_completion",
  "embedding",
  "aembedding",
  "moderation",
  "amoderation",
  "speech",
  "aspeech",
  "transcription",
  "atranscription",
  "responses",
  "aresponses",
  "anthropic_messages",
  "rerank",
  "arerank",
  "image_generation",
  "aimage_generation",
] as const;

export const CallType = Type.Union(callTypes.map((name) => Type.Literal(name)));
export type CallType = (typeof callTypes)[number];

export const TransformRequestBody = Type.Object({
  call_type: CallType,
  request_body: Type.Object({}, { additionalProperties: true, description: "The request body for that operation." }),
});
export type TransformRequestBody = Static<typeof TransformRequestBody>;

export const RawRequestTypedDict = Type.Object({
  raw_request_api_base: Type.Union([Type.String(), Type.Null()], {
    description: "The provider URL. Visible only to administrators unless the settings expose it.",
  }),
  raw_request_body: Type.Union([AnyObject, Type.Null()]),
  raw_request_headers: Type.Union([Type.Object({}, { additionalProperties: Type.String() }), Type.Null()], {
    description: "Secrets are masked except for their first four characters.",
  }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: "The reason that the request cannot be translated. If set, all other fields are null.",
  }),
});
export type RawRequestTypedDict = Static<typeof RawRequestTypedDict>;
