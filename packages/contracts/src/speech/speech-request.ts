import Type, { type Static } from "typebox";
import { gatewayFields, ignoredFields, ModelName, ModelNameOrNone, open } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

/** Maximum length of the input text per request, in characters. */
const MAX_SPOKEN_CHARACTERS = 4096;

const AudioFormat = Type.Union([
  Type.Literal("mp3"),
  Type.Literal("opus"),
  Type.Literal("aac"),
  Type.Literal("flac"),
  Type.Literal("wav"),
  Type.Literal("pcm"),
]);

/** Parameters that a model may or may not support. */
const speechParamFields = {
  response_format: Nullable(AudioFormat),
  speed: Nullable(Type.Number({ minimum: 0.25, maximum: 4 })),
  instructions: Nullable(Type.String()),
} as const;

/** Names of the parameters that a model may or may not support. */
export const speechParams: ReadonlySet<string> = new Set(Object.keys(speechParamFields));

const speechFields = {
  input: Type.String({ minLength: 1, maxLength: MAX_SPOKEN_CHARACTERS }),
  voice: Type.Union([Type.String({ minLength: 1 }), Type.Object({ id: Type.String({ minLength: 1 }) }, open)]),
  stream_format: Nullable(Type.Union([Type.Literal("audio"), Type.Literal("sse")])),
  ...speechParamFields,
  ...gatewayFields,
  ...ignoredFields,
};

/** Request body for speech. Unknown fields are allowed here; the gateway's settings decide how to handle them. */
export const SpeechRequest = Type.Object({ model: ModelName, ...speechFields }, open);

/** Request body if the path already specifies the model. `model` then has no effect. */
export const SpeechRequestForModel = Type.Object({ model: ModelNameOrNone, ...speechFields }, open);

export type SpeechRequest = Static<typeof SpeechRequestForModel>;

/** Output audio format. */
export type AudioFormat = Static<typeof AudioFormat>;
