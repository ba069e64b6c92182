/** Call details that the gateway sends in response headers. Missing values are null. */
export interface CallFacts {
  readonly callId: string | null;
  /** Deployment that served the call. */
  readonly modelId: string | null;
  /** Model group that served the call. After a fallback, it differs from the requested group. */
  readonly modelGroup: string | null;
  /** Charged amount. Null for streams, because the headers are sent before the cost is known. */
  readonly costNanoUsd: bigint | null;
  readonly durationMs: number | null;
  /** Part of `durationMs` that the gateway itself added. */
  readonly overheadMs: number | null;
  readonly attemptedRetries: number | null;
  readonly attemptedFallbacks: number | null;
}

/** Reads the call details from response headers. */
export function readCallFacts(headers: Headers): CallFacts {
  const cost = headers.get("x-gw-response-cost-nano-usd");
  return {
    callId: headers.get("x-gw-call-id"),
    modelId: headers.get("x-gw-model-id"),
    modelGroup: headers.get("x-gw-model-group"),
    costNanoUsd: cost !== null && /^-?\d+$/.test(cost) ? BigInt(cost) : null,
    durationMs: numberOf(headers.get("x-gw-response-duration-ms")),
    overheadMs: numberOf(headers.get("x-gw-overhead-duration-ms")),
    attemptedRetries: numberOf(headers.get("x-gw-attempted-retries")),
    attemptedFallbacks: numberOf(headers.get("x-gw-attempted-fallbacks")),
  };
}

function numberOf(text: string | null): number | null {
  const value = text === null || text === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}
