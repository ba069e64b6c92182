import { isUtf8 } from "node:buffer";
import { ChatRequest, ChatRequestForModel } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure, ValidationFailure } from "@tollgate/contracts/failures.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { listProblems } from "@tollgate/contracts/validation/list-problems.ts";
import { scanJson } from "@tollgate/domain/json-text.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { ModelLookup } from "../model-list/model-lookup.ts";
import { ChatCall } from "./call.ts";
import type { Caller } from "./caller.ts";
import type { ChatBody } from "./chat-body.ts";
import { sortFields } from "./chat-fields.ts";
import { checkChatRequest } from "./check-chat-request.ts";

const isChatRequest = compileCheck(ChatRequest);
const isChatRequestForModel = compileCheck(ChatRequestForModel);

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
/** Headers a client may not set on the upstream request, whatever name it finds for them. */
const protectedHeader =
  /auth|key|token|secret|cookie|^host$|^content-|^transfer-|^connection$|^x-gw-|^accept-encoding$|^proxy-/i;

/** The body of a JSON operation. Refuses other media types before anything of it is read. */
export function readJsonBody(exchange: Exchange, settings: Settings): Promise<Buffer> {
  const { contentType } = exchange.headers;
  if (contentType !== "application/json" && (contentType === null || !JSON_TYPE.test(contentType))) {
    throw new Failure("unsupported_media_type", "Send the body as application/json.");
  }
  return exchange.readBody(settings.general.maxRequestSizeMb * 1024 * 1024);
}

/** Parses, checks and matches a chat call. Every problem of the body is reported at once. */
export function readChatCall(
  exchange: Exchange,
  caller: Caller,
  bytes: Buffer,
  models: ModelLookup,
  settings: Settings,
): ChatCall {
  const fixedModel = settings.general.completionModel ?? exchange.pathModel;
  const body = parseBody(bytes, fixedModel !== null, settings);
  const { model: named, fallbacks } = hasPlainNames(body.request) ? body.request : (readText(bytes) as ChatRequest);
  const model = models.find(caller, fixedModel ?? (named as string));
  for (const fallback of fallbacks ?? []) models.find(caller, nameOf(fallback));
  return new ChatCall(
    exchange,
    caller,
    model,
    body,
    readLimits(exchange, body.request, model.deployments[0], settings),
  );
}

function parseBody(bytes: Buffer, isModelGiven: boolean, settings: Settings): ChatBody {
  if (!isUtf8(bytes)) throw new Failure("invalid_json", "The body is not valid UTF-8.");
  const text = bytes.toString("latin1");
  const scan = scanJson(text);
  if (scan.kind === "refused") throw new Failure("invalid_json", scan.reason);
  const request = parseJson(text);
  const isValid = isModelGiven ? isChatRequestForModel : isChatRequest;
  if (!isValid(request)) {
    // Looked at again as text, so that lengths count characters and messages show them.
    const readable = readText(bytes);
    if (!isValid(readable)) {
      const described = isModelGiven ? ChatRequestForModel : ChatRequest;
      const problems = listProblems(described, readable, ["body"]);
      if (problems.length === 0) throw new Error("a refused body has no problems");
      throw new ValidationFailure(problems);
    }
  }
  const valid = request as ChatRequest;
  checkChatRequest(valid);
  const dropped = sortFields(valid, settings.gateway.unknownParams);
  return {
    text,
    members: scan.members,
    mustRebuild: scan.hasEscapedKey || valid.extra_body != null,
    request: valid,
    dropped,
    extraHeaders: readExtraHeaders(valid),
  };
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

function readExtraHeaders(request: ChatRequest): readonly string[] {
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

function readLimits(
  exchange: Exchange,
  request: ChatRequest,
  deployment: { timeoutSeconds: number | null; streamTimeoutSeconds: number | null } | undefined,
  settings: Settings,
): { timeoutMs: number; streamTimeoutMs: number } {
  const timeout =
    request.timeout ??
    readSeconds("x-gw-timeout", exchange.headers.timeout) ??
    deployment?.timeoutSeconds ??
    settings.router.timeoutSeconds ??
    settings.gateway.requestTimeoutSeconds;
  const streamTimeout =
    request.stream_timeout ??
    readSeconds("x-gw-stream-timeout", exchange.headers.streamTimeout) ??
    deployment?.streamTimeoutSeconds ??
    settings.router.streamTimeoutSeconds ??
    timeout;
  return { timeoutMs: timeout * 1_000, streamTimeoutMs: streamTimeout * 1_000 };
}

function readSeconds(name: string, value: string | null): number | null {
  if (value === null) return null;
  const seconds = Number(value);
  if (value.trim() === "" || !Number.isFinite(seconds) || seconds <= 0 || seconds > 3_600) {
    throw new ValidationFailure([
      { loc: ["header", name], msg: "Input should be a valid number", type: "float_parsing" },
    ]);
  }
  return seconds;
}

/** The body as text: strings are characters, where reading it as bytes leaves them half decoded. */
function readText(bytes: Buffer): unknown {
  return parseJson(bytes.toString("utf8"));
}

/** Whether every model the request names is written in characters that are the same as bytes and as text. */
function hasPlainNames({ model, fallbacks }: ChatRequest): boolean {
  const isPlain = (name: string) => Buffer.byteLength(name, "utf8") === name.length;
  return isPlain(model ?? "") && (fallbacks == null || fallbacks.every((fallback) => isPlain(nameOf(fallback))));
}

function nameOf(fallback: string | { readonly model: string }): string {
  return typeof fallback === "string" ? fallback : fallback.model;
}
