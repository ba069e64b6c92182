/** What the gateway tells of a call in the headers of its answer. What it did not tell is null. */
export interface CallFacts {
  readonly callId: string | null;
  /** The deployment that answered. */
  readonly modelId: string | null;
  /** The group that answered: after a fallback another than was asked for. */
  readonly modelGroup: string | null;
  /** What was charged. Null on a stream, whose headers come before it is known. */
  readonly costNanoUsd: bigint | null;
  readonly durationMs: number | null;
  /** The gateway's own share of that. */
  readonly overheadMs: number | null;
  readonly attemptedRetries: number | null;
  readonly attemptedFallbacks: number | null;
}

/** The facts in these headers. */
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
