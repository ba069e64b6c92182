import { STATUS_CODES } from "node:http";
import { type ErrorCodeStyle, type ErrorContext, toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import { gatewayKindOf } from "@tollgate/contracts/failure-table.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { ExchangeResponse } from "../call/exchange.ts";
import type { ErrorFormat } from "../call/operation-traits.ts";
import { VERSION } from "../call/version.ts";
import { toJsonBytes } from "../wire/edit-body.ts";

/** Data for an error response in addition to the failure. */
interface FailureContext extends ErrorContext {
  readonly codeStyle: ErrorCodeStyle;
  readonly modelId?: string | null;
  readonly modelGroup?: string | null;
  /** Number of retries, if the call was attempted. */
  readonly retries?: number | null;
  readonly maxRetries?: number | null;
  readonly fallbacks?: number | null;
  /** True if the request body was not read to the end, so the connection can't be reused. */
  readonly mustClose: boolean;
  /** Call timeout, in seconds. */
  readonly timeoutSeconds?: number | null;
  readonly hasOrigin: boolean;
  /** What a run's call was charged, as JSON. */
  readonly runUsage?: string | null;
  /** Error format of the call's API. Defaults to OpenAI's. */
  readonly words?: ErrorFormat | null;
}

/** Sends a failure as the gateway's error response. Has no effect if a response has begun. */
export function answerFailure(
  response: Pick<ExchangeResponse, "headersSent" | "destroyed" | "writeHead" | "end">,
  failure: Failure,
  context: FailureContext,
): void {
  if (response.headersSent || response.destroyed) return;
  const body =
    context.words?.failureBody(failure, context) ?? JSON.stringify(toErrorBody(failure, context.codeStyle, context));
  response.writeHead(gatewayKindOf(failure.code).status, failureHeaders(failure, context, Buffer.byteLength(body)));
  response.end(body);
}

/** The constant parts of this failure's response. Bodies have one character per byte. */
interface ReadyAnswer {
  readonly statusLine: string;
  readonly lines: string;
  readonly bodies: Readonly<Record<ErrorCodeStyle, ReadyBody>>;
}

/** A body without the two values that depend on the request. */
interface ReadyBody {
  readonly beforeDocsUrl: string;
  readonly beforeRequestId: string;
  readonly end: string;
}

/** Stand in for the values that depend on the request. Neither occurs in a prebuilt failure. */
const DOCS_URL = "<docs>";
const REQUEST_ID = "<request>";

const readyAnswers = new WeakMap<Failure, ReadyAnswer>();

/**
 * Sends a failure that is created once and sent often, such as a refusal under load. Its text is built only once, so it
 * must not contain call-specific data. Only the call ID and the link are inserted for each call.
 */
export function sendPrebuiltFailure(response: ExchangeResponse, failure: Failure, context: FailureContext): void {
  if (response.headersSent || response.destroyed) return;
  let ready = readyAnswers.get(failure);
  if (ready === undefined) {
    ready = prepareAnswer(failure);
    readyAnswers.set(failure, ready);
  }
  const origin = context.hasOrigin ? "access-control-allow-origin: *\r\n" : "";
  const lines = `${ready.lines}x-gw-call-id: ${context.requestId}\r\n${origin}`;
  const { beforeDocsUrl, beforeRequestId, end } = ready.bodies[context.codeStyle];
  // A call ID has only letters, digits, and punctuation that JSON doesn't escape.
  const docsUrl = toJsonBytes(context.docsUrl).slice(1, -1);
  response.sendWhole(lines, beforeDocsUrl + docsUrl + beforeRequestId + context.requestId + end, ready.statusLine);
}

function prepareAnswer(failure: Failure): ReadyAnswer {
  const { status, name } = gatewayKindOf(failure.code);
  const fields = ["content-type", "application/json", "x-gw-error-name", name, "x-gw-version", VERSION];
  fields.push(...retryHeaders(failure));
  let lines = "";
  for (let at = 0; at < fields.length; at += 2) lines += `${fields[at]}: ${fields[at + 1]}\r\n`;
  return {
    statusLine: `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`,
    lines,
    bodies: { semantic: prepareBody(failure, "semantic"), status: prepareBody(failure, "status") },
  };
}

function prepareBody(failure: Failure, style: ErrorCodeStyle): ReadyBody {
  const text = toJsonBytes(toErrorBody(failure, style, { requestId: REQUEST_ID, docsUrl: DOCS_URL }));
  const [beforeDocsUrl = "", rest = ""] = text.split(DOCS_URL);
  const [beforeRequestId = "", end = ""] = rest.split(REQUEST_ID);
  return { beforeDocsUrl, beforeRequestId, end };
}

/** Returns the common error response headers and those that depend on the error's status. */
export function failureHeaders(failure: Failure, context: FailureContext, contentLength: number): string[] {
  const kind = gatewayKindOf(failure.code);
  const headers = [
    "content-type",
    "application/json",
    "content-length",
    String(contentLength),
    "x-gw-call-id",
    context.requestId,
    "x-gw-error-name",
    kind.name,
    "x-gw-version",
    VERSION,
  ];
  if (context.words?.callIdHeader !== undefined) headers.push(context.words.callIdHeader, context.requestId);
  if (context.modelId) headers.push("x-gw-model-id", context.modelId);
  if (context.modelGroup) headers.push("x-gw-model-group", context.modelGroup);
  if (context.retries != null) headers.push("x-gw-attempted-retries", String(context.retries));
  if (context.retries && context.maxRetries != null) headers.push("x-gw-max-retries", String(context.maxRetries));
  if (context.fallbacks != null) headers.push("x-gw-attempted-fallbacks", String(context.fallbacks));
  if (context.runUsage) headers.push("x-gw-usage", context.runUsage);
  if (context.mustClose) headers.push("connection", "close");
  if (context.hasOrigin) headers.push("access-control-allow-origin", "*");
  if (kind.status === 401) headers.push("www-authenticate", 'Bearer realm="gateway"');
  if (kind.status === 408 && context.timeoutSeconds != null)
    headers.push("x-gw-timeout", String(context.timeoutSeconds));
  if (kind.status === 429 || kind.status === 503) headers.push(...retryHeaders(failure));
  return headers;
}

function retryHeaders(failure: Failure): string[] {
  const kind = gatewayKindOf(failure.code);
  if (!kind.retryable) return ["x-should-retry", "false"];
  const { retryAfterMs, rateLimit, limit } = failure.facts;
  const waitMs = Math.max(1_000, retryAfterMs ?? 1_000);
  const headers = ["retry-after", String(Math.ceil(waitMs / 1_000)), "retry-after-ms", String(Math.ceil(waitMs))];
  if (rateLimit !== undefined) {
    headers.push("x-gw-rate-limit-type", rateLimit.type, "x-gw-rate-limit-scope", rateLimit.scope);
    if (limit?.resetsAt != null) headers.push("x-gw-rate-limit-reset", limit.resetsAt);
  }
  return headers;
}
