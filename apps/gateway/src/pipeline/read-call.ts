import { isUtf8 } from "node:buffer";
import {
  clientSideCredentials,
  Failure,
  invalidJson,
  missingBody,
  ValidationFailure,
} from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { listProblems, type ProblemSlug } from "@tollgate/contracts/validation/list-problems.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import type { TopLevelMember } from "@tollgate/domain/json-text.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { Call, inStage, type RequestedTimeouts } from "../call/call.ts";
import type { CallBody, UploadedFile } from "../call/call-body.ts";
import type { Caller } from "../call/caller.ts";
import { isAscii, shortSession } from "../call/client-ids.ts";
import type { Conversation } from "../call/conversation.ts";
import type { Exchange } from "../call/exchange.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import { hasNoBody } from "../call/request-headers.ts";
import type { ModelLookup } from "../models/model-lookup.ts";
import { suggestModels } from "../models/suggest-models.ts";
import { isVariable, readByGateway, sortFields } from "../operations/sort-fields.ts";
import { editBytes, hasPath, leaveOut } from "../wire/edit-body.ts";

type Check = (value: unknown) => boolean;

/** Headers that a client must not set on the upstream request. */
const protectedHeader =
  /auth|key|token|secret|cookie|^(?:content|transfer|proxy|x-gw|x-amzn?|x-goog|x-vertex)-|^(?:host|connection|keep-alive|expect|upgrade|te|trailer|accept|accept-encoding)$/i;

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Reads the body of a JSON operation. Rejects other media types before reading any of the body. */
export function readJsonBody(exchange: Exchange, limitBytes: number): Buffer | Promise<Buffer> {
  if (!isJsonType(exchange.headers.contentType)) {
    if (hasNoBody(exchange.headers)) throw missingBody();
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
  try {
    return readValidCall(exchange, caller, kind, bytes, models, settings, file, conversation);
  } catch (error) {
    const { model, session } = namesIn(bytes);
    exchange.requestedModel = fixedModelOf(exchange, kind, settings) ?? model;
    exchange.requestedSession = session;
    throw suggestModels(error, models, caller);
  }
}

/** Maximum size of an unusable body that is parsed once more for its model and session. */
const MAX_REREAD_BYTES = 64 * 1024;

interface Names {
  readonly model: string | null;
  readonly session: string | null;
}

const NO_NAMES: Names = { model: null, session: null };

/** Returns the model and the session that an unusable body names, for the log; null without one or in a large body. */
function namesIn(bytes: Buffer): Names {
  if (bytes.length > MAX_REREAD_BYTES) return NO_NAMES;
  try {
    const { model, prompt_cache_key: session } = JSON.parse(bytes.toString("utf8")) as Readonly<
      Record<string, unknown>
    >;
    return {
      model: typeof model === "string" ? model : null,
      session: typeof session === "string" && session !== "" ? shortSession(session) : null,
    };
  } catch {
    return NO_NAMES;
  }
}

function readValidCall(
  exchange: Exchange,
  caller: Caller,
  kind: OperationKind,
  bytes: Buffer,
  models: ModelLookup,
  settings: Settings,
  file: UploadedFile | null,
  conversation: Conversation | null,
): Call {
  const fixedModel = fixedModelOf(exchange, kind, settings);
  const body = parseBody(bytes, kind, fixedModel !== null, settings, file);
  const { model: named, fallbacks } = hasPlainNames(body.request)
    ? body.request
    : (readText(bytes) as InferenceRequest);
  const { ownKey = null } = body;
  const name = fixedModel ?? named ?? (defaultModelOf(kind, settings) as string);
  const model = ownKey === null ? models.find(caller, name) : models.findWithOwnKey(caller, name, ownKey);
  if (ownKey === null && model.targets[0]?.needsOwnKey === true) throw needsKey(model.shownName);
  for (const fallback of fallbacks ?? []) checkFallback(models, caller, nameOf(fallback));
  const call = new Call(exchange, caller, kind, model, body, readTimeouts(exchange, body.request), conversation);
  if (ownKey !== null) inStage(call, "read").ownKey = ownKey;
  if (fallbacks?.some((fallback) => typeof fallback === "object")) {
    inStage(call, "read").fallbackBodies = readFallbackBodies(bytes, body, kind, settings);
  }
  if (kind.callIdOf !== undefined) exchange.label(kind.callIdOf(body.request));
  return call;
}

function needsKey(model: string): Failure {
  return new Failure("invalid_request", `Model '${model}' requires your own provider API key.`, {
    param: "api_key",
    fix: "Send the key as 'api_key' in the body.",
  });
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

/** Maximum number of fallbacks that change the request. Each one is a copy of the body, which can have 50 MiB. */
const MAX_CHANGED_FALLBACKS = 4;

/** Reads the bodies of fallbacks, which can change the request. Validates them before any model is called. */
function readFallbackBodies(
  bytes: Buffer,
  usual: CallBody,
  kind: OperationKind,
  settings: Settings,
): ReadonlyMap<string, CallBody> {
  const { fallbacks, ...request } = readText(bytes) as InferenceRequest;
  const bodies = new Map<string, CallBody>();
  let changedBodies = 0;
  for (const fallback of fallbacks ?? []) {
    if (bodies.has(nameOf(fallback))) continue;
    if (typeof fallback !== "object" || Object.keys(fallback).length === 1) {
      // This fallback has no changes. It must not inherit the changes of an earlier fallback.
      bodies.set(nameOf(fallback), usual);
      continue;
    }
    changedBodies += 1;
    if (changedBodies > MAX_CHANGED_FALLBACKS) {
      throw new Failure("invalid_request", `At most ${MAX_CHANGED_FALLBACKS} fallbacks can change the request.`, {
        param: "fallbacks",
        fix: "Send the other fallbacks as model names.",
      });
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
  if (bytes.length === 0) throw missingBody();
  if (!isUtf8(bytes)) throw invalidJson("The body is not valid UTF-8.");
  const scan = scanJsonBytes(bytes, kind.textsIn ?? null);
  if (scan.kind === "refused") throw invalidJson(scan.reason);
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
  if (typeof valid.api_key === "string") {
    const rest = withoutMember(bytes, scan, "api_key");
    return { ...parseBody(rest, kind, isModelGiven, settings, file), ownKey: readOwnKey(valid.api_key) };
  }
  checkGatewayFields(valid);
  kind.check(valid);
  const dropped = sortFields(valid, kind.fields, settings.billing.provider !== "off");
  const rest = valid.additional_drop_params == null ? null : withoutDropped(bytes, scan, valid.additional_drop_params);
  if (rest !== null) return parseBody(rest, kind, isModelGiven, settings, file);
  return {
    bytes,
    members: scan.members,
    mustRebuild: scan.hasEscapedKey || valid.extra_body != null,
    request: valid,
    dropped,
    extraHeaders: readExtraHeaders(valid),
    file,
  };
}

/** Matches a key that can be sent in a header. */
const headerValue = /^[\x21-\x7e]{1,4096}$/;

/** Returns the caller's own provider API key. From now on, it is in no text that is logged, stored, or sent. */
function readOwnKey(value: string): Secret {
  if (isVariable(value)) throw clientSideCredentials("api_key");
  if (headerValue.test(value)) return new Secret(value);
  throw new Failure("invalid_request", "'api_key' must have 1 to 4096 visible ASCII characters.", { param: "api_key" });
}

const COMMA = 44;

/** Returns the body without a top-level member. All other bytes stay as they are. */
function withoutMember(bytes: Buffer, { members, hasEscapedKey }: ScannedBody, name: string): Buffer {
  const index = members.findIndex((member) => member.name === name);
  const member = members[index];
  if (member === undefined || hasEscapedKey) {
    const { [name]: _, ...others } = readText(bytes) as Record<string, unknown>;
    return Buffer.from(JSON.stringify(others), "utf8");
  }
  const isFollowed = bytes[member.valueEnd] === COMMA;
  // The last member goes with the comma before it.
  const start = isFollowed || index === 0 ? member.keyStart : (members[index - 1]?.valueEnd ?? 0);
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(isFollowed ? member.valueEnd + 1 : member.valueEnd)]);
}

/**
 * Returns the body without the fields that the request drops; null if it has none of them. They are removed before
 * anything else is read from the body, so that every check, the hold, and the price are those of the request that is
 * sent. Otherwise, a tool could be checked as a function, and sent as a search.
 */
function withoutDropped(
  bytes: Buffer,
  { members, hasEscapedKey }: ScannedBody,
  names: readonly string[],
): Buffer | null {
  const dropped = new Set(names.filter((name) => !readByGateway.has(name)));
  if (!hasEscapedKey && !hasPath(dropped)) {
    if (!members.some(({ name }) => dropped.has(name))) return null;
    return editBytes({ bytes, members, mustRebuild: false }, [], dropped) as Buffer;
  }
  const request = readText(bytes) as InferenceRequest;
  const left = (request.additional_drop_params ?? []).filter((name) => !readByGateway.has(name));
  return leaveOut(request, left) ? Buffer.from(JSON.stringify(request), "utf8") : null;
}

interface ScannedBody {
  readonly members: readonly TopLevelMember[];
  readonly hasEscapedKey: boolean;
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
    return JSON.parse(text);
  } catch {
    throw invalidJson("The body is not valid JSON.");
  }
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
  return seconds === null ? null : Math.min(seconds, MAX_SECONDS) * 1_000;
}

/** Parses the body as UTF-8. Parsing it as bytes is faster but leaves strings undecoded. */
function readText(bytes: Buffer): unknown {
  return parseJson(bytes.toString("utf8"));
}

/** Reports whether every model name in the request is ASCII. */
function hasPlainNames({ model, fallbacks }: InferenceRequest): boolean {
  return isAscii(model ?? "") && (fallbacks == null || fallbacks.every((fallback) => isAscii(nameOf(fallback))));
}

/** Returns the model name of a fallback. */
export function nameOf(fallback: string | { readonly model: string }): string {
  return typeof fallback === "string" ? fallback : fallback.model;
}

/** Maximum time that a caller can make the gateway wait, in seconds. */
const MAX_SECONDS = 3_600;

/** Reads a timeout header, in seconds. Returns null if it is absent. The bounds are the same as for the body field. */
export function readSecondsHeader(name: string, value: string | null): number | null {
  if (value === null) return null;
  const seconds = value.trim() === "" ? Number.NaN : Number(value);
  if (Number.isNaN(seconds)) throw wrong(name, "Input should be a valid number", "float_parsing");
  if (seconds <= 0) throw wrong(name, "Input should be greater than 0", "greater_than_equal");
  if (seconds <= MAX_SECONDS) return seconds;
  throw wrong(name, `Input should be less than or equal to ${MAX_SECONDS}`, "less_than_equal");
}

/** Reads a retry count header. Returns null if it is absent. The router limits the number of retries. */
export function readRetriesHeader(name: string, value: string | null): number | null {
  if (value === null) return null;
  if (!/^\s*\d{1,9}\s*$/.test(value)) throw wrong(name, "Input should be a valid integer", "int_parsing");
  return Number(value);
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
