import Type from "typebox";

const open = { additionalProperties: true };

/** Audio bytes in the requested format. */
export const SpeechAudio = Type.String({ format: "binary" });

/** One server-sent event of streamed speech. */
export const SpeechEvent = Type.Union([
  Type.Object(
    { type: Type.Literal("speech.audio.delta"), audio: Type.String({ description: "The next Base64-encoded bytes." }) },
    open,
  ),
  Type.Object(
    {
      type: Type.Literal("speech.audio.done"),
      usage: Type.Object(
        { input_tokens: Type.Integer(), output_tokens: Type.Integer(), total_tokens: Type.Integer() },
        open,
      ),
    },
    open,
  ),
]);
