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
  /** The client's session ID, from one of the headers that agents send. */
  session: string | null;
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

/** Reports whether a request has no body. A chunked body can still turn out to be empty. */
export function hasNoBody({ contentLength, transferEncoding }: RequestHeaders): boolean {
  return transferEncoding === null && (contentLength === null || Number(contentLength) === 0);
}
