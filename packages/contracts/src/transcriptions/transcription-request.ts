import Type, { type Static } from "typebox";
import {
  AnyObject,
  gatewayFields,
  ignoredFields,
  ModelName,
  ModelNameOrNone,
  open,
} from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

const TranscriptFormat = Type.Union([
  Type.Literal("json"),
  Type.Literal("text"),
  Type.Literal("srt"),
  Type.Literal("verbose_json"),
  Type.Literal("vtt"),
  Type.Literal("diarized_json"),
]);

/** Parameters that a model may or may not support. */
const transcriptionParamFields = {
  language: Nullable(Type.String({ maxLength: 32 })),
  prompt: Nullable(Type.String()),
  temperature: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  timestamp_granularities: Nullable(
    Type.Array(Type.Union([Type.Literal("word"), Type.Literal("segment")]), { maxItems: 8 }),
  ),
  include: Nullable(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 8 })),
  chunking_strategy: Nullable(Type.Union([Type.String(), AnyObject])),
  user: Nullable(Type.String()),
} as const;

/** Names of the parameters that a model may or may not support. */
export const transcriptionParams: ReadonlySet<string> = new Set(Object.keys(transcriptionParamFields));

const transcriptionFields = {
  response_format: Nullable(TranscriptFormat),
  stream: Nullable(Type.Boolean()),
  ...transcriptionParamFields,
  ...gatewayFields,
  ...ignoredFields,
};

/** Metadata of an uploaded file, in place of the file in the parsed form. */
const FileFacts = Type.Object({ filename: Type.String(), content_type: Type.String(), bytes: Type.Integer() });

/** Parsed form fields of a transcription: repeated fields become lists, and the file's metadata replaces the file. */
export const TranscriptionRequest = Type.Object({ file: FileFacts, model: ModelName, ...transcriptionFields }, open);

/** Parsed form fields if the path already specifies the model. `model` then has no effect. */
export const TranscriptionRequestForModel = Type.Object(
  { file: FileFacts, model: ModelNameOrNone, ...transcriptionFields },
  open,
);

const File = Type.String({
  format: "binary",
  description: "An audio file with a file name: flac, m4a, mp3, mp4, mpeg, mpga, oga, ogg, wav, or webm.",
});
const { timestamp_granularities, include, ...plainFields } = transcriptionFields;
const formFields = { ...plainFields, "timestamp_granularities[]": timestamp_granularities, "include[]": include };

/** The form as sent by a client, for the API reference. */
export const TranscriptionForm = Type.Object({ file: File, model: ModelName, ...formFields }, open);
export const TranscriptionFormForModel = Type.Object({ file: File, model: ModelNameOrNone, ...formFields }, open);

export type TranscriptionRequest = Static<typeof TranscriptionRequestForModel>;

/** Output format of a transcript. */
export type TranscriptFormat = Static<typeof TranscriptFormat>;
