import Type from "typebox";

const open = { additionalProperties: true };

const TranscriptionUsage = Type.Union([
  Type.Object({ type: Type.Literal("duration"), seconds: Type.Number() }, open),
  Type.Object(
    {
      type: Type.Literal("tokens"),
      input_tokens: Type.Integer(),
      output_tokens: Type.Integer(),
      total_tokens: Type.Integer(),
    },
    open,
  ),
]);

/** JSON response for a transcription; `verbose_json` adds timestamps. */
export const TranscriptionResponse = Type.Object(
  {
    text: Type.String(),
    usage: Type.Optional(TranscriptionUsage),
    task: Type.Optional(Type.String()),
    language: Type.Optional(Type.String()),
    duration: Type.Optional(Type.Number()),
    segments: Type.Optional(
      Type.Array(Type.Object({ start: Type.Number(), end: Type.Number(), text: Type.String() }, open)),
    ),
    words: Type.Optional(
      Type.Array(Type.Object({ word: Type.String(), start: Type.Number(), end: Type.Number() }, open)),
    ),
  },
  open,
);

/** One event of a streamed transcription. */
export const TranscriptionEvent = Type.Union([
  Type.Object({ type: Type.Literal("transcript.text.delta"), delta: Type.String() }, open),
  Type.Object(
    {
      type: Type.Literal("transcript.text.done"),
      text: Type.String(),
      usage: Type.Optional(TranscriptionUsage),
    },
    open,
  ),
]);
