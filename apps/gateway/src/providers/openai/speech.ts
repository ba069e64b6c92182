import { Failure } from "@tollgate/contracts/failures.ts";
import { type AudioFormat, type SpeechRequest, speechParams } from "@tollgate/contracts/speech/speech-request.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { readableRequest } from "../../call/call-body.ts";
import type {
  StreamReader,
  TranslatedCall,
  Translation,
  UpstreamRequest,
  UpstreamTarget,
} from "../../call/provider.ts";
import { audioTypes } from "../../operations/speech/audio-types.ts";
import { MS_PER_SPOKEN_TOKEN } from "../../operations/speech/speech-tokens.ts";
import { editRequest, modelEdit } from "../build-request.ts";
import { AudioEventMeter, AudioMeter } from "./audio-meter.ts";
import { readTokenUsage } from "./read-media-usage.ts";
import { TypedEventReader } from "./typed-event-reader.ts";

/** Matches models that support neither instructions nor event streams. */
const plainSpeaker = /^(?:tts-1|.*playai-tts)/;
const everyParam: readonly string[] = Object.freeze([...speechParams]);
const plainParams: readonly string[] = Object.freeze(everyParam.filter((name) => name !== "instructions"));

/** Speech in the OpenAI format. The upstream receives the caller's bytes, and its audio is relayed as it arrives. */
export const speechTranslation: Translation<SpeechRequest> = {
  supportedParams: (upstreamModel) => (plainSpeaker.test(upstreamModel) ? plainParams : everyParam),
  buildRequest: buildSpeechRequest,
  readAnswer: () => {
    throw new Error("speech is always streamed");
  },
  readStream: (call) => (call.answerForm === "events" ? readSpeechEvents(call) : new SpeechReader(formatOf(call))),
};

function buildSpeechRequest(
  call: TranslatedCall<SpeechRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  if (call.answerForm === "events" && plainSpeaker.test(target.upstreamModel)) {
    throw new Failure("unsupported_parameter", `Model '${call.model.shownName}' does not support speech events.`, {
      param: "stream_format",
      fix: "Remove 'stream_format'. The audio is streamed without it.",
    });
  }
  return editRequest(call, target, "/audio/speech", [modelEdit(target)], dropped);
}

function formatOf({ body }: TranslatedCall<SpeechRequest>): AudioFormat {
  return body.request.response_format ?? "mp3";
}

/** Relays audio as it arrives. The upstream reports no usage, so the reader derives the usage from the audio. */
class SpeechReader implements StreamReader {
  isDone = false;
  readonly usage = null;
  readonly failure = null;
  readonly output: AudioMeter;
  readonly contentType: string;

  constructor(format: AudioFormat) {
    this.output = new AudioMeter(format);
    this.contentType = audioTypes[format];
  }

  push(text: string): string {
    this.output.add(text);
    return text;
  }

  end(): string {
    this.isDone = true;
    return "";
  }
}

function readSpeechEvents(call: TranslatedCall<SpeechRequest>): StreamReader {
  const characters = [...readableRequest(call.body).input].length;
  return new TypedEventReader({
    lastType: "speech.audio.done",
    output: new AudioEventMeter(formatOf(call)),
    readUsage: ({ usage }) => withSound(readTokenUsage(usage), characters),
  });
}

/** Derives the audio duration from the token count, for models billed by the second. */
function withSound(usage: Usage | null, characters: number): Usage | null {
  if (usage === null) return null;
  const { outputTokens } = usage;
  return { ...usage, characters, audioOutputTokens: outputTokens, audioMs: outputTokens * MS_PER_SPOKEN_TOKEN };
}
