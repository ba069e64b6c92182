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

/** Modes of models that are billed by their tokens, of which a probe needs few. */
const modesOfTokens: ReadonlySet<string> = new Set(["chat", "completion", "embedding", "moderation", "responses"]);
const operationsOfItems: ReadonlySet<OperationName | null> = new Set<OperationName>([
  "audio.speech",
  "audio.transcriptions",
  "images.generations",
  "rerank",
]);

/** Reports whether providers bill a health check of this deployment like a whole image, recording, or search. */
export function isPaidPerItem(deployment: Deployment): boolean {
  const { mode } = deployment.facts;
  // A chat with a model of another mode can also produce an item, such as an image.
  return (mode !== null && !modesOfTokens.has(mode)) || operationsOfItems.has(probedOperation(deployment));
}

/** Minimum `max_output_tokens` that OpenAI's Responses API accepts. */
const LEAST_OF_RESPONSES = 16;

/** Operations with output of any length, and the parameters that limit it. */
const limitNames: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  "chat.completions": ["max_completion_tokens", "max_tokens"],
  completions: ["max_tokens"],
  messages: ["max_tokens"],
  responses: ["max_output_tokens"],
};

type Limited = Pick<Deployment, "provider" | "offers">;

/** Returns a parameter that limits the output of an operation; null if the model supports none. */
function limitParamOf(operation: OperationName, { provider, offers }: Limited): string | null {
  const supported = (limitNames[operation] ?? []).filter((name) => offers[operation]?.supportedParams.has(name));
  return supported.find((name) => name === provider.outputLimitParam) ?? supported[0] ?? null;
}

/** Reports whether the output of a health check has a limit, which it needs because checks are not charged. */
export function hasLimitedProbe(deployment: Deployment): boolean {
  const operation = probedOperation(deployment);
  if (operation === null || limitNames[operation] === undefined) return true;
  return limitParamOf(operation, deployment) !== null;
}

/**
 * Builds the smallest call for an operation: one token, vector, or word, a tenth of a second of silence, or one image.
 * Returns null if the model has no parameter that limits its output.
 */
export function probeCall(
  operation: OperationName,
  { provider, upstreamModel, offers }: Deployment,
): TranslatedCall | null {
  const limitParam = limitParamOf(operation, { provider, offers });
  if (limitParam === null && limitNames[operation] !== undefined) return null;
  const file = operation === "audio.transcriptions" ? silence() : null;
  const asked = { model: upstreamModel, ...smallestRequest(operation, limitParam ?? "", file) };
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
      return { prompt: "ping", [limitParam]: 1 };
    case "embeddings":
    case "moderations":
      return { input: "ping" };
    case "responses":
      return { input: "ping", [limitParam]: LEAST_OF_RESPONSES };
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
