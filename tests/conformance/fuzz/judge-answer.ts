import { findMismatch, type JsonSchema, type Resolve } from "@tollgate/testkit/json-schema.ts";
import type { FuzzRequest } from "./fuzz-request.ts";
import { judgeAcceptance } from "./judge-acceptance.ts";
import type { Answer } from "./send-request.ts";
import { requestSources } from "./valid-requests.ts";

/** Protocol-level errors that any path can return and no operation lists. */
const protocolStatuses = new Set([400, 404, 405, 413, 415, 431]);
const errorSchema: JsonSchema = { $ref: "#/components/schemas/ErrorResponse" };

/** Returns the problem with a response, or null. A response must not contain any of the `secrets`. */
export function judgeAnswer(
  fuzz: FuzzRequest,
  path: string,
  answer: Answer,
  resolve: Resolve,
  secrets: readonly string[],
): string | null {
  const { status, headers, body } = answer;
  const leaked = secrets.find((secret) => body.includes(secret) || JSON.stringify(headers).includes(secret));
  if (leaked !== undefined) return "a secret is in the answer";
  // Binary audio cannot contain an error message, so a failure in the middle closes the connection.
  if (answer.isCut) return status === 200 && isSound(headers) && mayBreakOff(fuzz) ? null : "the answer broke off";
  return (
    judgeStatus(fuzz, status, body) ??
    judgeHeaders(status, headers) ??
    (fuzz.method === "HEAD" ? null : judgeBody(fuzz, answer, resolve)) ??
    judgeAcceptance(fuzz, path, answer, resolve)
  );
}

/** A model name that matches a wildcard may have no price. */
const UNPRICED = 'code":"price_missing"';

function judgeStatus(fuzz: FuzzRequest, status: number, body: string): string | null {
  const { operation, kind, key, method } = fuzz;
  if (status >= 500 && !mayFail(fuzz) && !body.includes(UNPRICED))
    return `${status}, but no model is configured to fail`;
  const isOwnMethod = method === operation.method || (method === "HEAD" && operation.method === "GET");
  if (!isOwnMethod) return status >= 400 && status < 500 ? null : `${status} for a method that is not offered`;
  const hasGoodKey = key === "good" || key === "master";
  // Only requests that cannot be parsed may be rejected before authentication.
  const isRefusedUnread = kind === "hostile" && protocolStatuses.has(status);
  if (operation.isKeyed && !hasGoodKey && status !== 401 && !isRefusedUnread) return `${status} without a good key`;
  if (status === 401 && hasGoodKey) return "401 with a good key";
  if (kind === "valid" && status !== 200 && status !== 302) return `${status} for a valid request`;
  const expected = kind === "failing model" ? requestSources[operation.id]?.failures.get(fuzz.pathValue) : null;
  if (expected != null && status !== expected) return `${status} instead of ${expected} from ${fuzz.pathValue}`;
  if (!operation.answers.has(status) && !protocolStatuses.has(status)) return `${status} is not published`;
  return null;
}

/** Reports whether the model is configured to fail. Only then is a server error allowed. */
function mayFail({ body, pathValue }: FuzzRequest): boolean {
  const asked = `${pathValue} ${body?.toString("utf8") ?? ""}`;
  return asked.includes("sim/error") || asked.includes("sim/cut");
}

/**
 * Reports whether a response may be cut off after it has started, which can happen if the model fails or the caller set
 * a timeout.
 */
function mayBreakOff(fuzz: FuzzRequest): boolean {
  const isHurried = fuzz.body?.includes("timeout") === true || fuzz.headers.some(([name]) => name.endsWith("timeout"));
  return isHurried || mayFail(fuzz);
}

function judgeHeaders(status: number, headers: Answer["headers"]): string | null {
  // The page at the root, which browsers get, comes from the platform and is not a call.
  if (status === 200 && String(headers["content-type"]).startsWith("text/html")) return null;
  const needed = ["x-gw-call-id", "x-gw-version"];
  if (status >= 400) needed.push("x-gw-error-name", "content-type");
  if (status === 401) needed.push("www-authenticate");
  const missing = needed.find((name) => !headers[name]);
  return missing === undefined ? null : `${status} without the header ${missing}`;
}

function judgeBody(
  { operation }: FuzzRequest,
  { status, headers, body, isText }: Answer,
  resolve: Resolve,
): string | null {
  const type = String(headers["content-type"] ?? "").split(";")[0] as string;
  if (isSound(headers) && status === 200 && operation.answers.get(200)?.has(type)) return null;
  if (!isText) return "the body is not UTF-8";
  const published = operation.answers.get(status);
  if (published === undefined || status >= 400) {
    if (type !== "application/json") return `${status} as ${type}`;
    // If the gateway could read the path, protocol errors use the error format of the path's API.
    const own = published ?? operation.answers.get(400);
    const mismatch = judgeJson(own?.get("application/json") ?? errorSchema, body, resolve);
    return protocolStatuses.has(status) && judgeJson(errorSchema, body, resolve) === null ? null : mismatch;
  }
  if (published.size === 0) return null;
  const schema = published.get(type);
  if (schema === undefined) return `${status} as ${type}, which is not published`;
  if (schema === null) return null;
  if (type === "text/event-stream") return judgeStream(schema, body, resolve);
  return type === "application/json" ? judgeJson(schema, body, resolve) : findMismatch(schema, body, resolve);
}

function isSound(headers: Answer["headers"]): boolean {
  return String(headers["content-type"] ?? "").startsWith("audio/");
}

/** APIs with typed events end the stream with one of these events instead of `[DONE]`. */
const lastEvent = /^\{"type":"(?:[a-z.]+\.done|message_stop|error|response\.(?:completed|incomplete|failed))"/;

/** Checks that every frame matches its schema and that the stream ends with `[DONE]`, a final event, or an error. */
function judgeStream(schema: JsonSchema, body: string, resolve: Resolve): string | null {
  const frames = body.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"));
  const last = frames.at(-1);
  for (const frame of frames) {
    // Some APIs put the event name on a separate line.
    const named = frame.replace(/^event: [a-z_.]+\n/, "");
    if (!named.startsWith("data: ")) return `a frame is not data: ${frame.slice(0, 80)}`;
    const data = named.slice("data: ".length);
    if (data === "[DONE]") {
      if (frame !== last) return "there are frames behind the end";
      return body.endsWith("data: [DONE]\n\n") ? null : "the last frame is not closed";
    }
    const isError = frame === last && data.startsWith('{"error"');
    const mismatch = judgeJson(isError ? errorSchema : schema, data, resolve);
    if (mismatch !== null) return `frame ${mismatch}`;
    if (isError || (frame === last && lastEvent.test(data))) return null;
  }
  return "the stream ends without its mark";
}

function judgeJson(schema: JsonSchema, text: string, resolve: Resolve): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `the body is not JSON: ${text.slice(0, 80)}`;
  }
  return findMismatch(schema, value, resolve);
}
