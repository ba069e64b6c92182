import type { AudioFormat } from "@tollgate/contracts/speech/speech-request.ts";
import { audioTypes } from "../../operations/speech/audio-types.ts";
import { MS_PER_SPOKEN_TOKEN } from "../../operations/speech/speech-tokens.ts";
import { wavHeader } from "../../operations/speech/wav-header.ts";
import { readJson, type SimOperation, type SimReply } from "./sim-operation.ts";
import { seedOf, splitTokens } from "./sim-text.ts";

interface SpeechAsked {
  readonly input: string;
  readonly voice: unknown;
  readonly response_format?: AudioFormat | null;
  readonly speed?: number | null;
  readonly stream_format?: "audio" | "sse" | null;
}

const SAMPLES_PER_SECOND = 24_000;
/** Approximate time to speak one character of English text. */
const SECONDS_PER_CHARACTER = 1 / 15;
const SECONDS_PER_PIECE = 0.1;
const MAX_SECONDS = 60;

/**
 * Returns a tone that is as long as the spoken text, with a pitch derived from the voice and the text. Only WAV and PCM
 * output is genuine. For other formats, returns the same WAV data with a different content type, because no encoder is
 * available.
 */
export const speech: SimOperation<SpeechAsked> = {
  models: new Set(["speech"]),
  read: (request) => readJson(request, "input"),
  reply: (_model, asked) => (asked.stream_format === "sse" ? inEvents(asked) : asBytes(asked)),
};

function asBytes(asked: SpeechAsked): SimReply {
  const format = asked.response_format ?? "mp3";
  return { kind: "stream", contentType: audioTypes[format], pieces: makeSound(asked, format), closing: null };
}

function inEvents(asked: SpeechAsked): SimReply {
  return { kind: "stream", contentType: "text/event-stream", pieces: makeEvents(asked), closing: null };
}

function* makeEvents(asked: SpeechAsked): Generator<string> {
  for (const piece of makeSound(asked, asked.response_format ?? "mp3")) {
    yield frame({ type: "speech.audio.delta", audio: piece.toString("base64") });
  }
  const input = splitTokens(asked.input).length;
  const output = Math.ceil((secondsOf(asked) * 1_000) / MS_PER_SPOKEN_TOKEN);
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  yield frame({ type: "speech.audio.done", usage });
}

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function* makeSound(asked: SpeechAsked, format: AudioFormat): Generator<Buffer> {
  const samples = Math.round(secondsOf(asked) * SAMPLES_PER_SECOND);
  const pitch = 200 + (seedOf(`${JSON.stringify(asked.voice)} ${asked.input}`) % 400);
  if (format !== "pcm") yield wavHeader(SAMPLES_PER_SECOND, samples * 2);
  const perPiece = SECONDS_PER_PIECE * SAMPLES_PER_SECOND;
  for (let start = 0; start < samples; start += perPiece) {
    yield makeTone(pitch, start, Math.min(perPiece, samples - start));
  }
}

function secondsOf({ input, speed }: SpeechAsked): number {
  return Math.min(MAX_SECONDS, ([...input].length * SECONDS_PER_CHARACTER) / (speed ?? 1));
}

function makeTone(pitch: number, start: number, samples: number): Buffer {
  const bytes = Buffer.alloc(samples * 2);
  for (let index = 0; index < samples; index += 1) {
    const phase = (2 * Math.PI * pitch * (start + index)) / SAMPLES_PER_SECOND;
    bytes.writeInt16LE(Math.round(Math.sin(phase) * 8_000), index * 2);
  }
  return bytes;
}
