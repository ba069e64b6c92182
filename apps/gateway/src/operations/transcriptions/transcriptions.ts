import {
  TranscriptionRequest,
  TranscriptionRequestForModel,
  transcriptionParams,
} from "@tollgate/contracts/transcriptions/transcription-request.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { readableRequest, type UploadedFile } from "../../call/call-body.ts";
import type { Deployment } from "../../call/deployment.ts";
import type { CountedCall, OperationKind } from "../../call/operation-kind.ts";
import { countText } from "../../tokens/count-text.ts";
import { audioDuration, largestDurationMs } from "./audio-duration.ts";
import { checkTranscription } from "./check-transcription.ts";
import { readTranscript } from "./transcript-text.ts";

/** Duration of an audio token. Models that bill audio input by token count ten tokens per second. */
const MS_PER_RECEIVED_TOKEN = 100;
/** Maximum number of tokens per second of speech. */
const MAX_TOKENS_PER_SECOND = 10;
const CAREFUL_CHARACTERS = 256 * 1024;
/** Maximum amount by which providers that bill by the second round up. */
const ROUNDED_UP_MS = 1_000;

/** Transcriptions: converts an uploaded audio file to text. */
export const transcriptions: OperationKind<TranscriptionRequest> = {
  name: "audio.transcriptions",
  fields: {
    required: ["file", "response_format", "stream"],
    params: transcriptionParams,
    settled: new Set(["model", "file", "response_format", "stream"]),
  },
  schema: TranscriptionRequest,
  schemaForModel: TranscriptionRequestForModel,
  isForm: true,
  keepsRequest: true,
  check: checkTranscription,
  formOf: (request) => (request.stream === true ? "events" : "whole"),
  wantsUsage: () => false,
  boundUsage: (call, deployment) => {
    const mostMs = audioDuration(fileOf(call)).mostMs + ROUNDED_UP_MS;
    const prompt = Buffer.byteLength(readableRequest(call.body).prompt ?? "");
    return usageOf(deployment, mostMs, prompt, mostSaid(deployment, mostMs));
  },
  largestUsage: (call, deployment) => {
    const largestMs = largestDurationMs(fileOf(call)) + ROUNDED_UP_MS;
    const prompt = Buffer.byteLength(readableRequest(call.body).prompt ?? "");
    return usageOf(deployment, largestMs, prompt, mostSaid(deployment, largestMs));
  },
  countUsage: (call, deployment, answer, outputTokens) => {
    const { usualMs, mostMs } = audioDuration(fileOf(call));
    const prompt = countText(readableRequest(call.body).prompt ?? "");
    const most = mostSaid(deployment, mostMs + ROUNDED_UP_MS);
    if (answer === null) return usageOf(deployment, usualMs, prompt, Math.min(outputTokens, most));
    const { text, receivedMs, lastWordsMs } = readTranscript(answer);
    const lengthMs = receivedMs ?? Math.min(mostMs, Math.max(usualMs, lastWordsMs));
    const usage = usageOf(deployment, lengthMs, prompt, Math.min(countSaid(text), most));
    // If the deployment charges only for the duration, and the provider reported it, the whole usage counts as
    // reported.
    return receivedMs !== null && usage.inputTokens + usage.outputTokens === 0
      ? { ...usage, source: "reported" }
      : usage;
  },
};

function mostSaid({ facts }: Deployment, mostMs: number): number {
  const most = Math.ceil((mostMs / 1_000) * MAX_TOKENS_PER_SECOND);
  return facts.maxOutputTokens === null ? most : Math.min(most, facts.maxOutputTokens);
}

/** Counts tokens. For very long text, counts only the start and extrapolates, because counting is slow. */
function countSaid(text: string): number {
  if (text.length <= CAREFUL_CHARACTERS) return countText(text);
  return Math.ceil((countText(text.slice(0, CAREFUL_CHARACTERS)) * text.length) / CAREFUL_CHARACTERS);
}

/** Returns the usage in the units that the deployment charges for. */
function usageOf(
  { price, provider }: Deployment,
  receivedMs: number,
  promptTokens: number,
  outputTokens: number,
): Usage {
  const chargesInput = price !== null && (price.input > 0n || (price.audioInput ?? 0n) > 0n);
  const receivedTokens = chargesInput ? Math.ceil(receivedMs / MS_PER_RECEIVED_TOKEN) : 0;
  return {
    ...NO_USAGE,
    inputTokens: chargesInput ? receivedTokens + promptTokens : 0,
    audioInputTokens: receivedTokens,
    outputTokens: price !== null && price.output > 0n ? outputTokens : 0,
    audioMs: Math.max(receivedMs, provider.leastBilledMs ?? 0),
    source: "estimated",
  };
}

function fileOf(call: CountedCall<TranscriptionRequest>): Pick<UploadedFile, "size" | "head"> {
  const { file } = call.body;
  if (file === null) throw new Error("a transcription has no file");
  return file;
}
