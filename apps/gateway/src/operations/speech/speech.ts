import { SpeechRequest, SpeechRequestForModel, speechParams } from "@tollgate/contracts/speech/speech-request.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { Deployment } from "../../call/deployment.ts";
import type { OperationKind } from "../../call/operation-kind.ts";
import { countText } from "../../tokens/count-text.ts";
import { MS_PER_SPOKEN_TOKEN } from "./speech-tokens.ts";

/**
 * Maximum duration of a character in slow speech. A Chinese character takes about 250 ms, and an English character
 * about 67 ms.
 */
const MAX_MS_PER_CHARACTER = 300;
const MAX_PAUSES_MS = 5_000;

/** Speech: converts text to audio and streams it. */
export const speech: OperationKind<SpeechRequest> = {
  name: "audio.speech",
  fields: {
    required: ["input", "voice", "stream_format"],
    params: speechParams,
    settled: new Set(["model", "input", "speed", "stream_format", "response_format"]),
  },
  schema: SpeechRequest,
  schemaForModel: SpeechRequestForModel,
  keepsRequest: true,
  check: () => {},
  formOf: (request) => (request.stream_format === "sse" ? "events" : "bytes"),
  wantsUsage: () => false,
  boundUsage: (call, deployment) => {
    const request = readableRequest(call.body);
    const bytes = Buffer.byteLength(request.input) + Buffer.byteLength(request.instructions ?? "");
    return usageOf(deployment, request, bytes, mostSpokenTokens(request));
  },
  countUsage: (call, deployment, _answer, outputTokens) => {
    const request = readableRequest(call.body);
    const counted = countText(request.input) + countText(request.instructions ?? "");
    return usageOf(deployment, request, counted, Math.min(outputTokens, mostSpokenTokens(request)));
  },
};

function mostSpokenTokens({ input, speed }: SpeechRequest): number {
  const slowest = ([...input].length * MAX_MS_PER_CHARACTER + MAX_PAUSES_MS) / (speed ?? 1);
  return Math.ceil(slowest / MS_PER_SPOKEN_TOKEN);
}

/** Returns the usage in the units that the deployment charges for. Text never has more tokens than bytes. */
function usageOf({ price }: Deployment, { input }: SpeechRequest, inputTokens: number, spokenTokens: number): Usage {
  const chargesInput = price !== null && price.input > 0n;
  const chargesOutput = price !== null && (price.output > 0n || (price.audioOutput ?? 0n) > 0n);
  return {
    ...NO_USAGE,
    characters: [...input].length,
    inputTokens: chargesInput ? inputTokens : 0,
    outputTokens: chargesOutput ? spokenTokens : 0,
    audioOutputTokens: chargesOutput ? spokenTokens : 0,
    audioMs: spokenTokens * MS_PER_SPOKEN_TOKEN,
    source: "estimated",
  };
}
