import {
  type TranscriptFormat,
  type TranscriptionRequest,
  transcriptionParams,
} from "@tollgate/contracts/transcriptions/transcription-request.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { readableRequest, type UploadedFile } from "../../call/call-body.ts";
import type {
  ReadAnswer,
  StreamReader,
  TranslatedCall,
  Translation,
  UpstreamHeaders,
  UpstreamRequest,
  UpstreamTarget,
} from "../../call/provider.ts";
import { audioDuration } from "../../operations/transcriptions/audio-duration.ts";
import { renderTranscript, type Transcript } from "../../operations/transcriptions/render-transcript.ts";
import { readReceivedMs } from "../../operations/transcriptions/transcript-text.ts";
import { OutputMeter } from "../../tokens/output-meter.ts";
import { findTranscriptTexts } from "../../wire/delta-texts.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { operationPath, requestHeaders } from "../build-request.ts";
import { buildForm, formHeaders } from "./form-body.ts";
import { readTokenUsage } from "./read-media-usage.ts";
import { chooseTranscriptFormat } from "./transcript-formats.ts";
import { TypedEventReader } from "./typed-event-reader.ts";
import type { OpenAiWire } from "./wire.ts";

type TranscriptionCall = TranslatedCall<TranscriptionRequest>;

const everyParam: readonly string[] = Object.freeze([...transcriptionParams]);
const TEXT = "text/plain; charset=utf-8";
const contentTypes: Partial<Record<TranscriptFormat, string>> = {
  text: TEXT,
  srt: TEXT,
  vtt: "text/vtt; charset=utf-8",
};

type Formats = Pick<OpenAiWire, "transcriptFormats" | "hidesDuration" | "leastBilledMs">;

/** Transcriptions in the OpenAI format. The gateway renders formats that the upstream doesn't support. */
export function transcriptionTranslation(formats: Formats): Translation<TranscriptionRequest> {
  return {
    supportedParams: () => everyParam,
    buildRequest: (call, target, dropped) => buildTranscriptionRequest(call, target, dropped, formats),
    readAnswer: (call, text, headers) => readTranscription(call, text, headers, formats),
    readStream: readTranscriptEvents,
  };
}

function buildTranscriptionRequest(
  call: TranscriptionCall,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  formats: Formats,
): UpstreamRequest {
  const { extra_body: extraBody, ...request } = readableRequest(call.body);
  const asked = chooseTranscriptFormat(call.model.shownName, target.upstreamModel, request, formats);
  const kept = Object.entries(request).filter(([name]) => name !== "file" && !dropped.has(name));
  const fields = {
    ...Object.fromEntries(kept),
    model: JSON.parse(Buffer.from(target.prepared.modelJson, "latin1").toString("utf8")),
    ...((request.response_format != null || asked !== "json") && { response_format: asked }),
    ...extraBody,
  };
  const form = buildForm(fields, fileOf(call));
  return {
    path: operationPath(target, "/audio/transcriptions"),
    headers: formHeaders(requestHeaders(call, target), form),
    body: form.open,
  };
}

interface RawTranscript {
  readonly text?: unknown;
  readonly segments?: unknown;
  readonly duration?: unknown;
  readonly usage?: unknown;
}

/** Relays a response in the requested format unchanged, or renders it from JSON. */
function readTranscription(
  call: TranscriptionCall,
  text: string,
  headers: UpstreamHeaders,
  { hidesDuration, leastBilledMs = 0 }: Formats,
): ReadAnswer {
  const format = call.body.request.response_format ?? "json";
  const contentType = contentTypes[format] ?? "application/json";
  const isText = format === "text" || format === "srt" || format === "vtt";
  if (isText && !isJson(headers)) return { text, usage: null, contentType };
  const raw = parseTranscript(text);
  const receivedMs = readReceivedMs(raw.usage, raw.duration);
  const tokens = withSound(readTokenUsage(raw.usage), receivedMs, call);
  // Rendered text doesn't contain the audio duration, so the duration is added to the usage.
  const usage = tokens ?? (receivedMs === null ? null : { ...NO_USAGE, audioMs: Math.max(receivedMs, leastBilledMs) });
  if (!isText) {
    const isShortened = format === "json" && hidesDuration === true && receivedMs !== null;
    return isShortened ? { text: shortTranscript(raw.text, receivedMs), usage } : { text, usage: tokens };
  }
  const written = renderTranscript(format, { text: raw.text, segments: segmentsOf(raw) });
  if (written === null) throw unreadable();
  return { text: Buffer.from(written, "utf8").toString("latin1"), usage, contentType };
}

/** Writes the transcript in the `json` format, with the duration as OpenAI reports it. */
function shortTranscript(text: string, receivedMs: number): string {
  return toJsonBytes({ text, usage: { type: "duration", seconds: Math.ceil(receivedMs / 1_000) } });
}

function readTranscriptEvents(call: TranscriptionCall): StreamReader {
  return new TypedEventReader({
    lastType: "transcript.text.done",
    output: new OutputMeter(findTranscriptTexts),
    readUsage: ({ usage }) => withSound(readTokenUsage(usage), readReceivedMs(usage, null), call),
  });
}

/** Adds the audio duration to the token usage, for models billed by the second. */
function withSound(tokens: Usage | null, receivedMs: number | null, call: TranscriptionCall): Usage | null {
  return tokens === null ? null : { ...tokens, audioMs: receivedMs ?? audioDuration(fileOf(call)).usualMs };
}

function parseTranscript(text: string): RawTranscript & { readonly text: string } {
  let raw: RawTranscript | null;
  try {
    raw = JSON.parse(Buffer.from(text, "latin1").toString("utf8")) as RawTranscript | null;
  } catch (error) {
    throw unreadable(error);
  }
  if (typeof raw?.text !== "string") throw unreadable();
  return { ...raw, text: raw.text };
}

function segmentsOf({ segments }: RawTranscript): Transcript["segments"] {
  if (!Array.isArray(segments)) return null;
  const isSegment = (value: { start?: unknown; end?: unknown; text?: unknown } | null): boolean =>
    typeof value?.start === "number" && typeof value.end === "number" && typeof value.text === "string";
  return segments.every(isSegment) ? (segments as Transcript["segments"]) : null;
}

function isJson(headers: UpstreamHeaders): boolean {
  return String(headers["content-type"] ?? "").startsWith("application/json");
}

function fileOf({ body }: TranscriptionCall): UploadedFile {
  if (body.file === null) throw new Error("a transcription has no file");
  return body.file;
}
