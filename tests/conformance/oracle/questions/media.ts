import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import type { FormFile, Question } from "../question.ts";

const audio = Buffer.from("ID3 simulated audio");
const types: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

const speaks: Behavior = (exchange) => {
  const { response_format = "mp3" } = exchange.request.json() as { response_format?: string };
  return reply(200, audio, { "content-type": types[response_format] ?? "audio/mpeg" })(exchange);
};

const speak = (scenario: string, body: unknown, more: Partial<Question> = {}): Question => ({
  operation: "speech",
  scenario,
  method: "POST",
  path: "/v1/audio/speech",
  body,
  upstream: speaks,
  ...more,
});

const segments = [
  {
    id: 0,
    seek: 0,
    start: 0,
    end: 2,
    text: "Hi",
    tokens: [1],
    temperature: 0,
    avg_logprob: -0.1,
    compression_ratio: 1,
    no_speech_prob: 0.01,
  },
];
const transcripts: Readonly<Record<string, Behavior>> = {
  json: reply(200, { text: "Hi", usage: { type: "duration", seconds: 2 } }),
  verbose_json: reply(200, { task: "transcribe", language: "english", duration: 2, text: "Hi", segments }),
  text: reply(200, "Hi\n", { "content-type": "text/plain; charset=utf-8" }),
  srt: reply(200, "1\n00:00:00,000 --> 00:00:02,000\nHi\n\n", { "content-type": "text/plain; charset=utf-8" }),
  vtt: reply(200, "WEBVTT\n\n00:00.000 --> 00:02.000\nHi\n\n", { "content-type": "text/plain; charset=utf-8" }),
};
const wav: FormFile = { name: "hi.wav", type: "audio/wav", bytes: silence() };

const transcribe = (scenario: string, form: Question["form"], more: Partial<Question> = {}): Question => ({
  operation: "transcriptions",
  scenario,
  method: "POST",
  path: "/v1/audio/transcriptions",
  form,
  upstream: transcripts.json as Behavior,
  ...more,
});

const draws: Behavior = (exchange) => {
  const { n = 1, response_format = "url" } = exchange.request.json() as { n?: number; response_format?: string };
  const image = response_format === "url" ? { url: "https://images.example/1.png" } : { b64_json: "aGk=" };
  return reply(200, {
    created: 1_700_000_000,
    data: Array.from({ length: n }, () => ({ ...image, revised_prompt: "A red fox" })),
  })(exchange);
};

const draw = (scenario: string, body: unknown, more: Partial<Question> = {}): Question => ({
  operation: "images",
  scenario,
  method: "POST",
  path: "/v1/images/generations",
  body,
  upstream: draws,
  ...more,
});

const refuses = reply(400, { error: { message: "The request is malformed.", type: "x", param: null, code: null } });
const said = { model: "voice", input: "Hello", voice: "alloy" };

/** Questions about speech, transcriptions, and images. */
export const mediaQuestions: readonly Question[] = [
  speak("mp3", said),
  ...Object.keys(types)
    .slice(1)
    .map((format) => speak(format, { ...said, response_format: format })),
  speak("speed", { ...said, speed: 1.5 }),
  speak("unsupported instructions", { ...said, instructions: "Softly." }),
  speak("no input", { model: "voice", voice: "alloy" }),
  speak("no voice", { model: "voice", input: "Hello" }),
  speak("an unknown model", { ...said, model: "absent" }),
  speak("OpenAI returns 400", said, { upstream: refuses }),
  speak("no key", said, { key: "none" }),
  ...Object.entries(transcripts).map(([format, upstream]) =>
    transcribe(format, { file: wav, model: "whisper", response_format: format }, { upstream }),
  ),
  transcribe("language, prompt, and temperature", {
    file: wav,
    model: "whisper",
    language: "en",
    prompt: "Names: Ada",
    temperature: "0.2",
  }),
  transcribe("no file", { model: "whisper" }),
  transcribe("no model", { file: wav }),
  transcribe("an unknown model", { file: wav, model: "absent" }),
  transcribe("OpenAI returns 400", { file: wav, model: "whisper" }, { upstream: refuses }),
  transcribe("no key", { file: wav, model: "whisper" }, { key: "none" }),
  draw("URL output", { model: "image", prompt: "A fox" }),
  draw("base64 output", {
    model: "image",
    prompt: "A fox",
    response_format: "b64_json",
    size: "1024x1024",
    quality: "hd",
  }),
  draw("no prompt", { model: "image" }),
  draw("an unknown model", { model: "absent", prompt: "A fox" }),
  draw("OpenAI returns 400", { model: "image", prompt: "A fox" }, { upstream: refuses }),
  draw("no key", { model: "image", prompt: "A fox" }, { key: "none" }),
];

/** Two seconds of silence: 8,000 one-byte samples per second. */
function silence(): Buffer {
  const samples = Buffer.alloc(16_000, 0x80);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
