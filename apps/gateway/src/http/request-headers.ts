import { Failure } from "@tollgate/contracts/failures.ts";

const MAX_HEADERS = 64;
const MAX_HEADER_VALUE = 8 * 1024;

/** The request headers that this gateway reads. All other headers are neither read nor forwarded. */
export interface RequestHeaders {
  host: string | null;
  contentType: string | null;
  contentLength: string | null;
  contentEncoding: string | null;
  transferEncoding: string | null;
  expect: string | null;
  upgrade: string | null;
  origin: string | null;
  hops: string | null;
  callId: string | null;
  timeout: string | null;
  streamTimeout: string | null;
  tags: string | null;
  numRetries: string | null;
  forwardedFor: string | null;
  idempotencyKey: string | null;
  anthropicVersion: string | null;
  anthropicBeta: string | null;
  /** Null if the header is missing. Empty if it was sent twice. */
  traceparent: string | null;
  /** An internal token from another process of this Tollgate instance. */
  internal: string | null;
  /** Headers that may contain a key, by name. */
  keys: KeyCarriers;
}

export interface KeyCarriers {
  "x-gw-api-key": string | null;
  authorization: string | null;
  "x-api-key": string | null;
  "api-key": string | null;
}

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
