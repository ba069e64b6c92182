import Type, { type Static } from "typebox";
import { AnyObject } from "../inference/shared-fields.ts";

/** Each also with the prefix `a`, as clients that tell waiting from not waiting name it. */
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
  request_body: Type.Object({}, { additionalProperties: true, description: "The body that operation would get." }),
});
export type TransformRequestBody = Static<typeof TransformRequestBody>;

export const RawRequestTypedDict = Type.Object({
  raw_request_api_base: Type.Union([Type.String(), Type.Null()], {
    description: "Where it would be sent. Shown to administrators, unless the settings expose it.",
  }),
  raw_request_body: Type.Union([AnyObject, Type.Null()]),
  raw_request_headers: Type.Union([Type.Object({}, { additionalProperties: Type.String() }), Type.Null()], {
    description: "Of a secret only the first four characters are shown.",
  }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: "Why the request cannot be translated for the model; everything else is null then.",
  }),
});
export type RawRequestTypedDict = Static<typeof RawRequestTypedDict>;
