import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { type CountedCall, NO_PARTS, type PartTokens } from "../call/operation-kind.ts";
import { mediaTypeByName, mediaTypeOfUrl } from "../tokens/media-type.ts";
import { requestedTools } from "./requested-tools.ts";
import { searchTraitsOf } from "./search-traits.ts";
import { isBoundedBySize } from "./transcriptions/audio-duration.ts";

/** Practical lower bound on the bytes per token, so that the estimate errs on the high side. */
const BYTES_PER_TOKEN = 3;
/** Assumed maximum output of a model without a known limit. */
const DEFAULT_MAX_OUTPUT = 16_384;
/** Assumed context window of a model without a known one, for parts that can have any number of tokens. */
const DEFAULT_MAX_INPUT = 1_048_576;

/** Upper bound for any requested output limit. */
export const MAX_ASKED_OUTPUT = 10_000_000;
/** Parameters that limit the output of a chat completion. The first one that is set applies. */
export const CHAT_LIMITS: readonly string[] = ["max_completion_tokens", "max_tokens"];

/** Returns a model's maximum number of output tokens. */
export function mostOutputOf({ facts }: Deployment): number {
  return facts.maxOutputTokens ?? DEFAULT_MAX_OUTPUT;
}

/** Estimates the number of prompt tokens, capped at the model's input limit. */
export function estimateInput(call: Pick<CountedCall, "bodyBytes" | "parts">, deployment: Deployment): number {
  const { maxInputTokens } = deployment.facts;
  const sized = estimateSizedInput(call, deployment);
  const { isUnbounded } = call.parts;
  const added = estimateResults(call.parts, deployment);
  if (isUnbounded || added === null) return maxInputTokens ?? Math.max(sized, DEFAULT_MAX_INPUT);
  return added === 0 ? sized : Math.min(sized + added, maxInputTokens ?? sized + added);
}

/** Estimates the tokens that are billed as input: the prompt, and the sources that a research model reads. */
export function estimateBilledInput(call: Pick<CountedCall, "bodyBytes" | "parts">, deployment: Deployment): number {
  return estimateInput(call, deployment) + searchTraitsOf(deployment).beside.cited;
}

/** Estimates the tokens that results of tools add to the prompt; null if only the context window limits them. */
export function estimateResults({ tools }: PartTokens, deployment: Deployment): number | null {
  if (tools === undefined) return 0;
  const { tokensPerCall, maxCalls, onlySearches } = tools;
  if (tokensPerCall === null) return null;
  if (!onlySearches) return tokensPerCall * maxCalls;
  const { isBilledOnce, billsResults } = searchTraitsOf(deployment);
  if (!billsResults) return 0;
  return tokensPerCall * (isBilledOnce ? Math.min(maxCalls, 1) : maxCalls);
}

/**
 * Estimates the prompt tokens without the parts that can have any number of tokens. Rate limits use this estimate,
 * because a limit below the context window would otherwise never admit such parts. The actual tokens count later.
 */
export function estimateSizedInput(
  { bodyBytes, parts }: Pick<CountedCall, "bodyBytes" | "parts">,
  deployment: Deployment,
): number {
  const tokens = Math.ceil((bodyBytes - parts.bytes) / BYTES_PER_TOKEN) + estimateParts(parts, deployment);
  return Math.min(tokens, deployment.facts.maxInputTokens ?? tokens);
}

/** Estimates the tokens of a request's images and audio. */
export function estimateParts({ tokens, images }: PartTokens, { facts }: Deployment): number {
  return images === 0 ? tokens : tokens + images * facts.maxImageTokens;
}

/** Reports whether a parameter is sent to the model rather than dropped. */
export function reachesModel(
  name: string,
  call: Pick<CountedCall, "operation" | "body">,
  deployment: Deployment,
): boolean {
  if (call.body.dropped.has(name) || deployment.additionalDropParams.includes(name)) return false;
  const offered = deployment.offers[call.operation];
  if (offered === undefined || offered.takesEveryParam) return true;
  if (offered.supportedParams.has(name) || deployment.allowedParams.includes(name)) return true;
  return call.body.request.allowed_openai_params?.includes(name) === true;
}

/**
 * Returns the number of requested choices. Only operations that define `n` validate it, so it is ignored for all other
 * operations.
 */
export function choicesOf({ kind, body }: Call): number {
  return kind.fields.params.has("n") ? (body.request.n ?? 1) : 1;
}

/** Returns the request's output limit, or its default, if it reaches the model. A dropped parameter has no effect. */
export function requestedMaxOutput(call: Call, deployment: Deployment): number | null {
  const request = call.body.request as Readonly<Record<string, unknown>>;
  let asked: number | null = null;
  const { limitParams = CHAT_LIMITS, defaultOutputLimit } = call.kind;
  for (const name of limitParams) {
    const value = request[name] ?? defaultOutputLimit;
    if (typeof value === "number" && reachesModel(name, call, deployment))
      asked = Math.max(asked ?? 0, Math.min(value, MAX_ASKED_OUTPUT));
  }
  return asked;
}

/** Minimum bytes per audio token, in base64. Recordings have at most 32 tokens and at least 1,000 bytes per second. */
const AUDIO_BYTES_PER_TOKEN = 16;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Base64 characters that are decoded to find a recording's format: 16 KiB. */
const HEAD_CHARACTERS = 21_844;
const DATA_TYPE = /^\s*data:([^;,]*)/i;
const TEXT_TYPE = /^(?:text\/|application\/json$)/i;
const RECORDING_NAMES: ReadonlySet<string> = new Set(["data", "format"]);
const FILE_NAMES: ReadonlySet<string> = new Set(["type", "file_data", "filename"]);
/** Levels of detail up to which a model's maximum per image holds. */
const DETAILS: ReadonlySet<unknown> = new Set([undefined, null, "auto", "low", "high"]);

/** A part that can have any number of tokens. */
export const UNBOUNDED: PartTokens = { ...NO_PARTS, isUnbounded: true };

/**
 * Reports whether a part has only these members. Some upstreams read media from other members, regardless of the part's
 * type.
 */
export function hasOnly(part: object, names: ReadonlySet<string>): boolean {
  for (const name in part) {
    if (!names.has(name) && (part as Readonly<Record<string, unknown>>)[name] != null) return false;
  }
  return true;
}

export interface Recording {
  readonly data?: unknown;
}

export interface InlineFile {
  readonly file_data?: unknown;
  readonly filename?: unknown;
}

interface ImageHints {
  /** Media type that the client declares. */
  readonly format?: unknown;
  readonly detail?: unknown;
}

/**
 * Estimates an image, which is given as a data URL or as a URL. Some providers also accept other media here, and their
 * type is then in the URL or in `format`.
 */
export function imageTokens(url: unknown, { format, detail }: ImageHints = {}): PartTokens {
  if (typeof url !== "string" || !DETAILS.has(detail)) return UNBOUNDED;
  const type = DATA_TYPE.exec(url)?.[1] ?? mediaTypeOfUrl(url);
  if (isOtherMedia(type) || isOtherMedia(format)) return UNBOUNDED;
  return { ...NO_PARTS, bytes: url.length, images: 1 };
}

/** Estimates a recording by its size. */
export function audioTokens(recording: Recording | null | undefined): PartTokens {
  if (recording == null || !hasOnly(recording, RECORDING_NAMES)) return UNBOUNDED;
  const { data } = recording;
  // A decoder may skip characters outside base64, and then reads other bytes than the ones that are checked here.
  if (typeof data !== "string" || !BASE64.test(data)) return UNBOUNDED;
  const head = Buffer.from(data.slice(0, HEAD_CHARACTERS), "base64");
  if (!isBoundedBySize({ head, size: Buffer.byteLength(data, "base64") })) return UNBOUNDED;
  const tokens = Math.ceil(data.length / AUDIO_BYTES_PER_TOKEN);
  return { ...NO_PARTS, bytes: data.length, tokens, hasAudio: true };
}

/**
 * Estimates a file. Text is estimated by its bytes, like other text. The gateway doesn't read a file that is given by
 * reference, and a document of a few kilobytes can have hundreds of pages.
 */
export function fileTokens(file: InlineFile | null | undefined): PartTokens {
  if (file == null || !hasOnly(file, FILE_NAMES)) return UNBOUNDED;
  const type = typeof file.file_data === "string" ? DATA_TYPE.exec(file.file_data)?.[1] : undefined;
  const typeByName = typeof file.filename === "string" ? mediaTypeByName(file.filename) : null;
  return isText(type) && (typeByName === null || isText(typeByName)) ? NO_PARTS : UNBOUNDED;
}

function isText(type: string | undefined): boolean {
  return type !== undefined && TEXT_TYPE.test(type);
}

/** Adds the estimates of a request's parts. Most requests have no such parts. */
export function sumParts(parts: Iterable<PartTokens>): PartTokens {
  let sum = NO_PARTS;
  for (const part of parts) sum = addParts(sum, part);
  return sum;
}

export function addParts(sum: PartTokens, part: PartTokens): PartTokens {
  if (part === NO_PARTS) return sum;
  return {
    bytes: sum.bytes + part.bytes,
    tokens: sum.tokens + part.tokens,
    images: sum.images + part.images,
    hasAudio: sum.hasAudio || part.hasAudio,
    isUnbounded: sum.isUnbounded || part.isUnbounded,
  };
}

/** Adds the tools that the provider runs. Nearly every request has none. `maxCalls` is the request's limit for them. */
export function withTools(parts: PartTokens, request: object, maxCalls: unknown = null): PartTokens {
  const tools = requestedTools(request, maxCalls);
  return tools === undefined ? parts : { ...parts, tools };
}

export function isOtherMedia(type: unknown): boolean {
  return typeof type === "string" && !type.toLowerCase().startsWith("image/");
}
