/** What a call with an Idempotency-Key is recognized by. */
export interface IdempotencyRequest {
  /** Whose key it is: `team:…`, `user:…` or `key:…`. */
  readonly owner: string;
  readonly organizationId: string | null;
  readonly operation: string;
  readonly keyDigest: Buffer;
  readonly bodyDigest: Buffer;
}

/** What an earlier call with the same Idempotency-Key was answered. */
export interface ReplayedResponse {
  readonly status: number;
  readonly contentType: string;
  /** The body, byte for byte, as a string of bytes. */
  readonly text: string;
}

/** One call's hold on its Idempotency-Key. Only the first of its two ends counts, and neither throws. */
export interface IdempotencyClaim {
  /** Keeps the answer for retries; done when it is safe. Of one that is too long is kept that there was one. */
  keep(answer: ReplayedResponse): Promise<void>;
  /** The call was not answered with success: the next one with this key may try. */
  release(): Promise<void>;
}

/** Where a call stands among those with the same key. */
export type IdempotencyOutcome =
  | { readonly kind: "first"; readonly claim: IdempotencyClaim }
  | { readonly kind: "answered"; readonly answer: ReplayedResponse }
  /** The first is still being made, and the wait for it was given up. */
  | { readonly kind: "running" }
  | { readonly kind: "other_body" | "cut_off" | "too_long" };

/** Calls that say by an Idempotency-Key which of them are the same. */
export interface IdempotencyClaims {
  /** Makes the call the first with its key, or waits for the one that is. Throws a Failure when nobody can be asked. */
  claim(request: IdempotencyRequest, givingUp: AbortSignal): Promise<IdempotencyOutcome>;
}
