import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import type { CallBody, UploadedFile } from "../call/call-body.ts";
import type { Deployment } from "../call/deployment.ts";
import type { AnswerForm, OperationName } from "../call/operation-traits.ts";
import type { TranslatedCall } from "../call/provider.ts";
import { operationOfMode } from "../operations/operation-of-mode.ts";
import { wavHeader } from "../operations/speech/wav-header.ts";
import { fileInMemory } from "../wire/uploaded-file.ts";

/**
 * Returns the operation that a health check calls: the model's main operation or, if the deployment doesn't offer it,
 * any other operation.
 */
export function probedOperation({ facts, offers }: Deployment): OperationName | null {
  const main = operationOfMode(facts.mode);
  if (offers[main] !== undefined) return main;
  return (Object.keys(offers)[0] as OperationName | undefined) ?? null;
}

/** Minimum `max_output_tokens` that OpenAI's Responses API accepts. */
const LEAST_OF_RESPONSES = 16;

/**
 * Builds the smallest call for an operation: one token, vector, or word, a tenth of a second of silence, or one image.
 */
export function probeCall(operation: OperationName, { provider, upstreamModel }: Deployment): TranslatedCall {
  const file = operation === "audio.transcriptions" ? silence() : null;
  const asked = { model: upstreamModel, ...smallestRequest(operation, provider.outputLimitParam, file) };
  const bytes = Buffer.from(JSON.stringify(asked), "utf8");
  const scan = scanJsonBytes(bytes, null);
  if (scan.kind === "refused") throw new Error(scan.reason);
  const body: CallBody = {
    bytes,
    members: scan.members,
    mustRebuild: false,
    request: JSON.parse(scan.text) as InferenceRequest,
    dropped: new Set(),
    extraHeaders: [],
    file,
  };
  const answerForm: AnswerForm = operation === "audio.speech" ? "bytes" : "whole";
  return {
    operation,
    body,
    model: { shownName: upstreamModel, shownJson: JSON.stringify(upstreamModel) },
    answerForm,
    isStream: answerForm !== "whole",
    wantsUsage: false,
    hops: 0,
    outputLimit: null,
  };
}

function smallestRequest(operation: OperationName, limitParam: string, file: UploadedFile | null): object {
  switch (operation) {
    case "chat.completions":
    case "messages":
      return { messages: [{ role: "user", content: "ping" }], [limitParam]: 1 };
    case "completions":
      return { prompt: "ping", max_tokens: 1 };
    case "embeddings":
    case "moderations":
      return { input: "ping" };
    case "responses":
      return { input: "ping", max_output_tokens: LEAST_OF_RESPONSES };
    case "rerank":
      return { query: "ping", documents: ["ping"] };
    case "audio.speech":
      return { input: "ok", voice: "alloy" };
    case "audio.transcriptions":
      return { file: { filename: file?.filename, content_type: file?.contentType, bytes: file?.size } };
    case "images.generations":
      return { prompt: "a dot", n: 1 };
  }
}

const SAMPLES_PER_SECOND = 8_000;

/** Returns a tenth of a second of silence as a WAV file. */
function silence(): UploadedFile {
  const sound = Buffer.alloc((SAMPLES_PER_SECOND / 10) * 2);
  const wav = Buffer.concat([wavHeader(SAMPLES_PER_SECOND, sound.length), sound]);
  return fileInMemory({ filename: "silence.wav", contentType: "audio/wav", size: wav.length, head: wav }, [wav]);
}
