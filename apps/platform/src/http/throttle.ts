import type { RateClass } from "@tollgate/contracts/management/operation.ts";

/** Counts requests. Which number a class allows is the implementation's to know. */
export interface Throttle {
  /** Counts one request; refuses it with RATE_LIMITED when there were too many. */
  take(rate: RateClass, who: { readonly userId: number | null; readonly ip: string }): Promise<Allowance>;
}

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Until the count starts anew. */
  readonly resetSeconds: number;
}

/** What a client is told of it, whether its request was taken or not. */
export function allowanceHeaders({ limit, remaining, resetSeconds }: Allowance): Readonly<Record<string, string>> {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  };
}
