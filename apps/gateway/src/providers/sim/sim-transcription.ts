import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { UpstreamRequest } from "../../call/provider.ts";
import { audioDuration } from "../../operations/transcriptions/audio-duration.ts";
import { boundaryOf } from "../../wire/multipart-boundary.ts";
import { MultipartParser } from "../../wire/multipart-parser.ts";
import { eventReply, jsonReply, type SimInput, type SimOperation, type SimReply } from "./sim-operation.ts";
import { makeTokens } from "./sim-text.ts";

interface TranscriptionAsked {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly fileBytes: number;
  readonly fileHead: Buffer;
  /** Digest of the file's bytes, so that the same recording gets the same transcript. */
  readonly digest: string;
}

const HEAD_BYTES = 4_096;
const WORDS = 24;
const WORDS_PER_SEGMENT = 8;

/** Formats that the model returns. The gateway renders subtitle formats from them, as for some real models. */
export const simTranscriptFormats: readonly string[] = ["json", "text", "verbose_json"];

/** Returns the same transcript for the same bytes, with the duration that the file declares. */
export const transcription: SimOperation<TranscriptionAsked> = {
  models: new Set(["transcribe"]),
  read: readForm,
  reply: (_model, asked) => {
    const transcript = makeTranscript(asked);
    const field = (name: string) => asked.fields.get(name)?.[0] ?? null;
    if (field("stream") === "true") return eventReply(makeEvents(transcript));
    switch (field("response_format")) {
      case "text":
        return { kind: "whole", contentType: "text/plain; charset=utf-8", body: `${transcript.text}\n` };
      case "verbose_json":
        return verboseReply(transcript, asked);
      default:
        return jsonReply(JSON.stringify({ text: transcript.text, usage: usageOf(transcript) }));
    }
  },
};

interface SimTranscript {
  readonly text: string;
  readonly seconds: number;
  readonly words: readonly { readonly word: string; readonly start: number; readonly end: number }[];
}

async function readForm({ headers, body }: UpstreamRequest): Promise<SimInput<TranscriptionAsked>> {
  const contentType = headers[headers.indexOf("content-type") + 1] as string;
  const fields = new Map<string, string[]>();
  const hash = createHash("sha256");
  let fileBytes = 0;
  let fileHead: Buffer = Buffer.alloc(0);
  const parser = new MultipartParser(boundaryOf(contentType), {
    onField: (name, value) => fields.set(name, [...(fields.get(name) ?? []), value]),
    onFile: () => {},
    onFileData: (chunk) => {
      hash.update(chunk);
      fileBytes += chunk.length;
      if (fileHead.length < HEAD_BYTES) fileHead = Buffer.concat([fileHead, chunk.subarray(0, HEAD_BYTES)]);
    },
  });
  for await (const chunk of (body as () => Readable)()) parser.push(chunk as Buffer);
  parser.end();
  const model = fields.get("model")?.[0];
  if (model === undefined)
    throw new Failure("invalid_request", "A transcription requires a model.", { param: "model" });
  const digest = hash.digest("hex");
  return { model, body: { fields, fileBytes, fileHead, digest }, subject: digest };
}

function makeTranscript({ fileBytes, fileHead, digest }: TranscriptionAsked): SimTranscript {
  const seconds = audioDuration({ size: fileBytes, head: fileHead }).usualMs / 1_000;
  const text = makeTokens(WORDS, Number.parseInt(digest.slice(0, 8), 16))
    .join("")
    .trim();
  const spoken = text.split(" ");
  const each = seconds / spoken.length;
  const words = spoken.map((word, index) => ({ word, start: round(index * each), end: round((index + 1) * each) }));
  return { text, seconds, words };
}

function verboseReply({ text, seconds, words }: SimTranscript, { fields }: TranscriptionAsked): SimReply {
  const wantsWords = fields.get("timestamp_granularities[]")?.includes("word") ?? false;
  const segments = [];
  for (let first = 0; first < words.length; first += WORDS_PER_SEGMENT) {
    const part = words.slice(first, first + WORDS_PER_SEGMENT);
    segments.push({
      id: segments.length,
      seek: 0,
      start: part[0]?.start ?? 0,
      end: part.at(-1)?.end ?? 0,
      text: ` ${part.map(({ word }) => word).join(" ")}`,
      tokens: part.map((_, index) => first + index),
      temperature: 0,
      avg_logprob: -0.2,
      compression_ratio: 1,
      no_speech_prob: 0.01,
    });
  }
  const transcript = { task: "transcribe", language: "english", duration: round(seconds), text, segments };
  return jsonReply(JSON.stringify({ ...transcript, ...(wantsWords && { words }) }));
}

function* makeEvents(transcript: SimTranscript): Generator<string> {
  const frame = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
  for (const [index, { word }] of transcript.words.entries()) {
    yield frame({ type: "transcript.text.delta", delta: index === 0 ? word : ` ${word}` });
  }
  yield frame({ type: "transcript.text.done", text: transcript.text, usage: usageOf(transcript) });
}

function usageOf({ seconds }: SimTranscript): object {
  return { type: "duration", seconds: Math.ceil(seconds) };
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
