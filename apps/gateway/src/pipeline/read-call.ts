import { ChatRequest, ChatRequestForModel } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure, ValidationFailure } from "@tollgate/contracts/failures.ts";
import { compileCheck } from "@tollgate/contracts/validation/compile-check.ts";
import { listProblems } from "@tollgate/contracts/validation/list-problems.ts";
import { scanJson } from "@tollgate/domain/json-text.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { ModelLookup } from "../model-list/model-lookup.ts";
import { type Caller, type ChatBody, ChatCall } from "./call.ts";
import { sortFields } from "./chat-fields.ts";
import { checkChatRequest } from "./check-chat-request.ts";

const isChatRequest = compileCheck(ChatRequest);
const isChatRequestForModel = compileCheck(ChatRequestForModel);

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
/** Headers a client may not set on the upstream request, whatever name it finds for them. */
const protectedHeader =
  /auth|key|token|secret|cookie|^host$|^content-|^transfer-|^connection$|^x-gw-|^accept-encoding$|^proxy-/i;

/** Reads, checks and matches a chat call. Every problem of the body is reported at once. */
export async function readChatCall(
  exchange: Exchange,
  caller: Caller,
  models: ModelLookup,
  settings: Settings,
): Promise<ChatCall> {
  const { contentType } = exchange.headers;
  if (contentType !== "application/json" && (contentType === null || !JSON_TYPE.test(contentType))) {
    throw new Failure("unsupported_media_type", "Send the body as application/json.");
  }
  const bytes = await exchange.readBody(settings.general.maxRequestSizeMb * 1024 * 1024);
  const fixedModel = settings.general.completionModel ?? exchange.pathModel;
  const body = parseBody(bytes, fixedModel !== null, settings);
  const asked = fixedModel ?? decode(body.request.model as string);
  const model = models.find(caller, asked);
  for (const fallback of body.request.fallbacks ?? []) {
    models.find(caller, decode(typeof fallback === "string" ? fallback : fallback.model));
  }
  return new ChatCall(
    exchange,
    caller,
    model,
    body,
    readLimits(exchange, body.request, model.deployments[0], settings),
  );
}

function parseBody(bytes: Buffer, isModelGiven: boolean, settings: Settings): ChatBody {
  const text = bytes.toString("latin1");
  const scan = scanJson(text);
  if (scan.kind === "refused") throw new Failure("invalid_json", scan.reason);
  const request = parseJson(text);
  const isValid = isModelGiven ? isChatRequestForModel : isChatRequest;
  if (!isValid(request)) {
    // Looked at again as text, so that lengths count characters and messages show them.
    const readable = parseJson(bytes.toString("utf8"));
    if (!isValid(readable)) {
      const described = isModelGiven ? ChatRequestForModel : ChatRequest;
      const problems = listProblems(described, readable, ["body"]);
      if (problems.length === 0) throw new Error("a refused body has no problems");
      throw new ValidationFailure(problems);
    }
  }
  const valid = request as ChatRequest;
  checkChatRequest(valid);
  const dropped = sortFields(scan.members, valid, settings.gateway.unknownParams);
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

/** The characters behind a string that was read as bytes. */
function decode(bytes: string): string {
  const isAscii = Buffer.byteLength(bytes, "utf8") === bytes.length;
  return isAscii ? bytes : Buffer.from(bytes, "latin1").toString("utf8");
}
