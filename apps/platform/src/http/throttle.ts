import type { RateClass } from "@tollgate/contracts/management/operation.ts";

/** Counts requests. The implementation defines the limit for each request class. */
export interface Throttle {
  /** Counts one request. Throws RATE_LIMITED if the limit is exceeded. */
  take(rate: RateClass, who: { readonly userId: number | null; readonly ip: string }): Promise<RateLimitState>;
}

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window resets. */
  readonly resetSeconds: number;
}

/** Returns the rate limit headers for accepted and refused requests. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateLimitState): Readonly<Record<string, string>> {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  };
}
