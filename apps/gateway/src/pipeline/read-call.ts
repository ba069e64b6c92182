import { isUtf8 } from "node:buffer";
import { Failure, ValidationFailure } from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { listProblems, type ProblemSlug } from "@tollgate/contracts/validation/list-problems.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { Call, inStage, type RequestedTimeouts } from "../call/call.ts";
import type { CallBody, UploadedFile } from "../call/call-body.ts";
import type { Caller } from "../call/caller.ts";
import type { Conversation } from "../call/conversation.ts";
import type { Exchange } from "../call/exchange.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import type { ModelLookup } from "../models/model-lookup.ts";
import { sortFields } from "../operations/sort-fields.ts";

type Check = (value: unknown) => boolean;

/** Headers that a client must not set on the upstream request. */
const protectedHeader =
  /auth|key|token|secret|cookie|^(?:content|transfer|proxy|x-gw|x-amzn?|x-goog|x-vertex)-|^(?:host|connection|keep-alive|expect|upgrade|te|trailer|accept|accept-encoding)$/i;

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Reads the body of a JSON operation. Rejects other media types before reading any of the body. */
export function readJsonBody(exchange: Exchange, limitBytes: number): Buffer | Promise<Buffer> {
  if (!isJsonType(exchange.headers.contentType)) {
    throw new Failure("unsupported_media_type", "Send the body as application/json.");
  }
  return exchange.readBody(limitBytes);
}

/** Reports whether a content type is JSON in UTF-8. */
export function isJsonType(contentType: string | null): boolean {
  return contentType === "application/json" || (contentType !== null && JSON_TYPE.test(contentType));
}

/** Parses and validates a call, and resolves its model. Reports all problems with the body in one response. */
export function readCall(
  exchange: Exchange,
  caller: Caller,
  kind: OperationKind,
  bytes: Buffer,
  models: ModelLookup,
  settings: Settings,
  file: UploadedFile | null = null,
  conversation: Conversation | null = null,
): Call {
  const fixedModel = fixedModelOf(exchange, kind, settings);
  const body = parseBody(bytes, kind, fixedModel !== null, settings, file);
  const { model: named, fallbacks } = hasPlainNames(body.request)
    ? body.request
    : (readText(bytes) as InferenceRequest);
  const model = models.find(caller, fixedModel ?? named ?? (defaultModelOf(kind, settings) as string));
  for (const fallback of fallbacks ?? []) checkFallback(models, caller, nameOf(fallback));
  const call = new Call(exchange, caller, kind, model, body, readTimeouts(exchange, body.request), conversation);
  if (fallbacks?.some((fallback) => typeof fallback === "object")) {
    inStage(call, "read").fallbackBodies = readFallbackBodies(bytes, body, kind, settings);
  }
  if (kind.callIdOf !== undefined) exchange.label(kind.callIdOf(body.request));
  return call;
}

/** Rejects an invalid fallback with the same error as for an invalid model, but names the `fallbacks` field. */
function checkFallback(models: ModelLookup, caller: Caller, name: string): void {
  try {
    models.find(caller, name);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, error.message, { ...error.facts, param: "fallbacks" });
  }
}

/** Reads the bodies of fallbacks, which can change the request. Validates them before any model is called. */
function readFallbackBodies(
  bytes: Buffer,
  usual: CallBody,
  kind: OperationKind,
  settings: Settings,
): ReadonlyMap<string, CallBody> {
  const { fallbacks, ...request } = readText(bytes) as InferenceRequest;
  const bodies = new Map<string, CallBody>();
  for (const fallback of fallbacks ?? []) {
    if (bodies.has(nameOf(fallback))) continue;
    if (typeof fallback !== "object" || Object.keys(fallback).length === 1) {
      // This fallback has no changes. It must not inherit the changes of an earlier fallback.
      bodies.set(nameOf(fallback), usual);
      continue;
    }
    const changed = Buffer.from(JSON.stringify({ ...request, ...fallback }), "utf8");
    bodies.set(fallback.model, parseBody(changed, kind, true, settings, usual.file));
  }
  return bodies;
}

/** Returns the model if the settings, the path, or the query specifies it instead of the body. */
function fixedModelOf(exchange: Exchange, kind: OperationKind, settings: Settings): string | null {
  const { completionModel } = settings.general;
  if (completionModel !== null && kind.writesText === true) return completionModel;
  return exchange.pathModel ?? (kind.takesModelInQuery === true ? modelInQuery(exchange.request.url as string) : null);
}

function modelInQuery(target: string): string | null {
  const query = target.indexOf("?");
  const model = query < 0 ? null : new URLSearchParams(target.slice(query)).get("model");
  return model === "" ? null : model;
}

/** Returns the default model for operations that don't require a model. */
function defaultModelOf(kind: OperationKind, settings: Settings): string | null {
  return kind.name === "moderations" ? (settings.general.moderationModel ?? "omni-moderation-latest") : null;
}

function parseBody(
  bytes: Buffer,
  kind: OperationKind,
  isModelGiven: boolean,
  settings: Settings,
  file: UploadedFile | null,
): CallBody {
  if (!isUtf8(bytes)) throw new Failure("invalid_json", "The body is not valid UTF-8.");
  const scan = scanJsonBytes(bytes, kind.textsIn ?? null);
  if (scan.kind === "refused") throw new Failure("invalid_json", scan.reason);
  const request = parseJson(scan.text);
  const checks = checksOf(kind);
  const isValid = isModelGiven ? checks.withoutModel : checks.whole;
  if (!isValid(request)) {
    // Validates the decoded text again, so that lengths are in characters and messages can quote the text.
    const readable = readText(bytes);
    if (!isValid(readable)) {
      const problems = listProblems(isModelGiven ? kind.schemaForModel : kind.schema, readable, ["body"]);
      if (problems.length === 0) throw new Error("a rejected body has no problems");
      throw new ValidationFailure(problems);
    }
  }
  const valid = request as InferenceRequest;
  checkGatewayFields(valid);
  kind.check(valid);
  return {
    bytes,
    members: scan.members,
    mustRebuild: scan.hasEscapedKey || valid.extra_body != null,
    request: valid,
    dropped: sortFields(valid, kind.fields, settings.billing.provider !== "off"),
    extraHeaders: readExtraHeaders(valid),
    file,
  };
}

const checksByKind = new WeakMap<OperationKind, { readonly whole: Check; readonly withoutModel: Check }>();

function checksOf(kind: OperationKind): { readonly whole: Check; readonly withoutModel: Check } {
  const known = checksByKind.get(kind);
  if (known !== undefined) return known;
  const made = { whole: compileCheck(kind.schema), withoutModel: compileCheck(kind.schemaForModel) };
  checksByKind.set(kind, made);
  return made;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new Failure("invalid_json", "The body is not valid JSON.", { cause: error });
  }
  throw new Failure("invalid_json", "The body must be a JSON object.");
}

function readExtraHeaders(request: InferenceRequest): readonly string[] {
  if (request.extra_headers == null) return [];
  const headers: string[] = [];
  for (const [name, value] of Object.entries(request.extra_headers as Record<string, string>)) {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(name) || protectedHeader.test(name) || !/^[\x20-\x7e]{0,1024}$/.test(value)) {
      throw new Failure("invalid_request", `The extra header '${name}' is not allowed.`, { param: "extra_headers" });
    }
    headers.push(name, value);
  }
  return headers;
}

function readTimeouts(exchange: Exchange, request: InferenceRequest): RequestedTimeouts {
  const timeout = request.timeout ?? readSecondsHeader("x-gw-timeout", exchange.headers.timeout);
  const streamTimeout =
    request.stream_timeout ?? readSecondsHeader("x-gw-stream-timeout", exchange.headers.streamTimeout);
  if (timeout === null && streamTimeout === null) return NO_REQUESTED_TIMEOUTS;
  return { timeoutMs: toMs(timeout), streamTimeoutMs: toMs(streamTimeout) };
}

/** The value for a call that doesn't request any timeouts. */
export const NO_REQUESTED_TIMEOUTS: RequestedTimeouts = { timeoutMs: null, streamTimeoutMs: null };

function toMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1_000;
}

/** Parses the body as UTF-8. Parsing it as bytes is faster but leaves strings undecoded. */
function readText(bytes: Buffer): unknown {
  return parseJson(bytes.toString("utf8"));
}

/** Reports whether every model name in the request is ASCII, in which case bytes and text are the same. */
function hasPlainNames({ model, fallbacks }: InferenceRequest): boolean {
  const isPlain = (name: string) => Buffer.byteLength(name, "utf8") === name.length;
  return isPlain(model ?? "") && (fallbacks == null || fallbacks.every((fallback) => isPlain(nameOf(fallback))));
}

/** Returns the model name of a fallback. */
export function nameOf(fallback: string | { readonly model: string }): string {
  return typeof fallback === "string" ? fallback : fallback.model;
}

const MAX_SECONDS = 3_600;
const MAX_RETRIES = 10;

/** Reads a timeout header, in seconds. Returns null if it is absent. The bounds are the same as for the body field. */
export function readSecondsHeader(name: string, value: string | null): number | null {
  if (value === null) return null;
  const seconds = value.trim() === "" ? Number.NaN : Number(value);
  if (Number.isNaN(seconds)) throw wrong(name, "Input should be a valid number", "float_parsing");
  if (seconds <= 0) throw wrong(name, "Input should be greater than 0", "greater_than_equal");
  return atMost(MAX_SECONDS, name, seconds);
}

/** Reads a retry count header. Returns null if it is absent. The bounds are the same as for the body field. */
export function readRetriesHeader(name: string, value: string | null): number | null {
  if (value === null) return null;
  if (!/^\s*\d{1,9}\s*$/.test(value)) throw wrong(name, "Input should be a valid integer", "int_parsing");
  return atMost(MAX_RETRIES, name, Number(value));
}

function atMost(most: number, name: string, value: number): number {
  if (value <= most) return value;
  throw wrong(name, `Input should be less than or equal to ${most}`, "less_than_equal");
}

function wrong(name: string, msg: string, type: ProblemSlug): ValidationFailure {
  return new ValidationFailure([{ loc: ["header", name], msg, type }]);
}

/** Rejects gateway fields that this gateway doesn't support. */
function checkGatewayFields({ mock_response: mock }: InferenceRequest): void {
  if (mock != null) {
    throw new Failure("invalid_request", "Mock responses are not supported. Use a simulated model.", {
      param: "mock_response",
    });
  }
}
