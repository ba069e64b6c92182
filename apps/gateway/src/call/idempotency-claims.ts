/** Identifies a call with an Idempotency-Key. */
export interface IdempotencyRequest {
  /** Owner of the key: `team:…`, `user:…`, or `key:…`. */
  readonly owner: string;
  readonly organizationId: string | null;
  readonly operation: string;
  readonly keyDigest: Buffer;
  readonly bodyDigest: Buffer;
}

/** The response to an earlier call with the same Idempotency-Key. */
export interface ReplayedResponse {
  readonly status: number;
  readonly contentType: string;
  /** The body, one character per byte. */
  readonly text: string;
}

/** One call's claim on its Idempotency-Key. Only the first `keep` or `release` has an effect, and neither throws. */
export interface IdempotencyClaim {
  /**
   * Stores the response for retries and resolves once it is durable. If the response is too long, only that fact is
   * stored.
   */
  keep(answer: ReplayedResponse): Promise<void>;
  /** Releases the key after a failure, so that the next call with this key can run. */
  release(): Promise<void>;
}

/** Result of claiming an Idempotency-Key. */
export type IdempotencyOutcome =
  | { readonly kind: "first"; readonly claim: IdempotencyClaim }
  | { readonly kind: "answered"; readonly answer: ReplayedResponse }
  /** The first call is still running, and this call stopped waiting for it. */
  | { readonly kind: "running" }
  | { readonly kind: "other_body" | "cut_off" | "too_long" };

/** Tracks calls by their Idempotency-Key. */
export interface IdempotencyClaims {
  /**
   * Claims the key for this call, or waits for the call that has claimed it. Throws a Failure if the store is
   * unavailable.
   */
  claim(request: IdempotencyRequest, givingUp: AbortSignal): Promise<IdempotencyOutcome>;
}
