import { Failure } from "@tollgate/contracts/failures.ts";
import type {
  TranscriptFormat,
  TranscriptionRequest,
} from "@tollgate/contracts/transcriptions/transcription-request.ts";
import type { OpenAiWire } from "./wire.ts";

/** Matches models that transcribe directly to text, without timestamps. */
const textModel = /^gpt-.*transcribe/;
const speakerModel = /diarize/;
/** Matches models that can't stream, because they process the whole recording first. */
const wholeModel = /whisper/;

/**
 * Formats that the gateway renders from another format. An upstream reports usage only in JSON, so these formats are
 * requested as such only if there is no other way.
 */
const madeOf: Partial<Record<TranscriptFormat, readonly TranscriptFormat[]>> = {
  text: ["json", "verbose_json"],
  srt: ["verbose_json"],
  vtt: ["verbose_json"],
};

/**
 * Returns the format to request from the upstream so that the gateway can produce the caller's format. Throws a
 * `Failure` if that isn't possible.
 */
export function chooseTranscriptFormat(
  displayName: string,
  upstreamModel: string,
  { response_format: asked, stream }: Pick<TranscriptionRequest, "response_format" | "stream">,
  { transcriptFormats, hidesDuration }: Pick<OpenAiWire, "transcriptFormats" | "hidesDuration">,
): TranscriptFormat {
  const wanted = asked ?? "json";
  if (stream === true) {
    if (wholeModel.test(upstreamModel)) throw unsupported(displayName, "stream", "support streaming");
    if (wanted !== "json" && wanted !== "diarized_json") {
      throw unsupported(displayName, "response_format", `support streaming '${wanted}'`);
    }
  }
  // What a recording says of its own length can be wrong on purpose.
  if (hidesDuration === true && stream !== true && (wanted === "json" || wanted === "text")) return "verbose_json";
  const native = formatsOf(upstreamModel, transcriptFormats ?? null);
  const source = madeOf[wanted]?.find((format) => native === null || native.includes(format));
  if (source !== undefined) return source;
  if (native === null || native.includes(wanted)) return wanted;
  throw unsupported(displayName, "response_format", `support '${wanted}'`);
}

function formatsOf(upstreamModel: string, formats: readonly string[] | null): readonly string[] | null {
  if (!textModel.test(upstreamModel)) return formats;
  return speakerModel.test(upstreamModel) ? ["json", "text", "diarized_json"] : ["json"];
}

function unsupported(displayName: string, param: string, what: string): Failure {
  return new Failure("unsupported_parameter", `Model '${displayName}' does not ${what}.`, { param });
}
