import type { IncomingMessage } from "node:http";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { RequestHeaders } from "../call/request-headers.ts";

const MAX_HEADERS = 64;
const MAX_HEADER_VALUE = 8 * 1024;
const MAX_TARGET_LENGTH = 4 * 1024;
/**
 * Maximum size of an unread body that is discarded after a refusal. For a larger body, the connection closes. If the
 * client is still sending, this resets the connection, and many clients then report the reset instead of the refusal.
 */
const DRAINED_BODY_BYTES = 1024 * 1024;
/**
 * Matches a valid count of the gateways that a call has passed through. Any other value is forged or comes from a loop.
 */
const FEW_HOPS = /^[0-3]$/;

/**
 * Reads the raw header list in one pass, because building the parsed header object costs more than all other checks on
 * a call. Rejects headers that proxies interpret differently: repeated singletons and names with underscores. Also
 * rejects headers that are too long and requests with too many headers.
 */
export function readRequestHeaders(raw: readonly string[]): RequestHeaders {
  if (raw.length > MAX_HEADERS * 2)
    throw new Failure("headers_too_large", `The request has more than ${MAX_HEADERS} headers.`);
  const headers: RequestHeaders = {
    host: null,
    contentType: null,
    contentLength: null,
    contentEncoding: null,
    transferEncoding: null,
    expect: null,
    upgrade: null,
    origin: null,
    hops: null,
    callId: null,
    timeout: null,
    streamTimeout: null,
    tags: null,
    numRetries: null,
    forwardedFor: null,
    idempotencyKey: null,
    session: null,
    anthropicVersion: null,
    anthropicBeta: null,
    traceparent: null,
    internal: null,
    keys: { "x-gw-api-key": null, authorization: null, "x-api-key": null, "api-key": null },
  };
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    const value = raw[index + 1] as string;
    if (value.length > MAX_HEADER_VALUE) throw new Failure("headers_too_large", `The header '${name}' is too long.`);
    switch (name) {
      case "host":
        headers.host = once(name, headers.host, value);
        break;
      case "content-type":
        headers.contentType = once(name, headers.contentType, value);
        break;
      case "content-length":
        headers.contentLength = once(name, headers.contentLength, value);
        break;
      case "content-encoding":
        headers.contentEncoding = once(name, headers.contentEncoding, value);
        break;
      case "transfer-encoding":
        headers.transferEncoding = once(name, headers.transferEncoding, value);
        break;
      case "expect":
        headers.expect = once(name, headers.expect, value);
        break;
      case "upgrade":
        headers.upgrade = once(name, headers.upgrade, value);
        break;
      case "origin":
        headers.origin = once(name, headers.origin, value);
        break;
      case "x-gw-hops":
        headers.hops = once(name, headers.hops, value);
        break;
      case "x-gw-call-id":
        headers.callId = once(name, headers.callId, value);
        break;
      case "x-gw-timeout":
        headers.timeout = once(name, headers.timeout, value);
        break;
      case "x-gw-stream-timeout":
        headers.streamTimeout = once(name, headers.streamTimeout, value);
        break;
      case "x-gw-tags":
        headers.tags = once(name, headers.tags, value);
        break;
      case "x-gw-num-retries":
        headers.numRetries = once(name, headers.numRetries, value);
        break;
      case "x-forwarded-for":
        headers.forwardedFor = headers.forwardedFor === null ? value : `${headers.forwardedFor},${value}`;
        break;
      case "idempotency-key":
        headers.idempotencyKey = once(name, headers.idempotencyKey, value);
        break;
      case "x-session-id":
      case "x-claude-code-session-id":
      case "session-id":
      case "x-session-affinity":
      case "x-opencode-session":
      case "x-amp-thread-id":
        // If there are several, the first one decides.
        if (value !== "") headers.session ??= value;
        break;
      case "traceparent":
        headers.traceparent = headers.traceparent === null ? value : "";
        break;
      case "anthropic-version":
        headers.anthropicVersion = once(name, headers.anthropicVersion, value);
        break;
      case "anthropic-beta":
        headers.anthropicBeta = headers.anthropicBeta === null ? value : `${headers.anthropicBeta},${value}`;
        break;
      case "x-gw-internal":
        headers.internal = once(name, headers.internal, value);
        break;
      case "x-gw-api-key":
      case "authorization":
      case "x-api-key":
      case "api-key":
        headers.keys[name] = once(name, headers.keys[name], value);
        break;
      default:
        if (name.includes("_")) throw new Failure("invalid_request", "Header names cannot contain underscores.");
    }
  }
  return headers;
}

function once(name: string, earlier: string | null, value: string): string {
  if (earlier !== null) throw new Failure("invalid_request", `The header '${name}' appears more than once.`);
  return value;
}

/** Reports whether this instance serves the host in a Host header. */
export type HostCheck = (host: string) => boolean;

/** Rejects everything that two chained parsers could interpret differently. Applies to all routes. */
export function checkFraming(
  request: Pick<IncomingMessage, "method" | "url" | "httpVersionMajor" | "httpVersionMinor">,
  headers: RequestHeaders,
  isAllowedHost: HostCheck,
): void {
  const hasBody = headers.contentLength !== null || headers.transferEncoding !== null;
  if (request.httpVersionMajor !== 1) {
    throw new Failure("invalid_request", "Only HTTP/1.1 and HTTP/1.0 are supported.");
  }
  if ((request.url as string).length > MAX_TARGET_LENGTH) {
    throw new Failure("headers_too_large", "The request target is too long.");
  }
  if (!(request.url as string).startsWith("/")) {
    throw new Failure("invalid_request", "The request target must be a path.");
  }
  if (headers.upgrade !== null) throw new Failure("invalid_request", "Protocol upgrades are not supported.");
  if (request.httpVersionMinor === 0 && hasBody) {
    throw new Failure("invalid_request", "HTTP/1.0 requests with a body are not supported.");
  }
  if (headers.transferEncoding !== null && headers.transferEncoding.toLowerCase() !== "chunked") {
    throw new Failure("invalid_request", "The only supported transfer coding is chunked.");
  }
  if (headers.contentEncoding !== null && headers.contentEncoding.toLowerCase() !== "identity") {
    throw new Failure("unsupported_media_type", "Send the body without a content encoding.");
  }
  if (headers.expect !== null && headers.expect.toLowerCase() !== "100-continue") {
    throw new Failure("invalid_request", "The only supported expectation is 100-continue.");
  }
  if (headers.host === null) throw new Failure("invalid_request", "The Host header is missing.");
  if (!isAllowedHost(headers.host)) {
    throw new Failure("misdirected_request", "This instance does not serve the host in the Host header.");
  }
  if (headers.hops !== null && !FEW_HOPS.test(headers.hops)) {
    throw new Failure("loop_detected", "The request returned to this gateway through one of its own deployments.");
  }
  if (request.method === "TRACE" || request.method === "CONNECT") {
    throw new Failure("method_not_allowed", `Method ${request.method} is not supported.`);
  }
}

/**
 * Reports whether an unread body is small enough to discard after the response, so that the connection stays usable.
 */
export function isDrainable(headers: RequestHeaders): boolean {
  if (headers.expect !== null) return false;
  if (headers.transferEncoding !== null) return false;
  return headers.contentLength === null || Number(headers.contentLength) <= DRAINED_BODY_BYTES;
}

/** Creates the check for these hosts. An empty list allows any host. */
export function createHostCheck(allowed: readonly string[]): HostCheck {
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  if (names.size === 0) return (host) => host.length <= MAX_HOST_LENGTH && wellFormed.test(host);
  return (host) => names.has(withoutPort(host).toLowerCase()) || names.has(host.toLowerCase());
}

const MAX_HOST_LENGTH = 261;
const wellFormed = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

function withoutPort(host: string): string {
  const match = /^(.*?)(?::\d{1,5})?$/.exec(host);
  return match?.[1] ?? host;
}
