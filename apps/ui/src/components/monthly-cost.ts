/** What a model costs, in nano-USD for a million tokens; null is unpriced. */
export interface TokenPricing {
  readonly inputPerMillionTokens: bigint | null;
  readonly outputPerMillionTokens: bigint | null;
  readonly cachedInputPerMillionTokens: bigint | null;
  readonly perRequest: bigint;
}

/** The requests that are calculated with. */
export interface Workload {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How much of the input comes from the cache, in per cent. */
  readonly cachedPercent: number;
  readonly requestsPerDay: number;
}

const DAYS = 30n;
const MILLION = 1_000_000n;

/** Thirty days of a workload in nano-USD, rounded half-up once; null when the model has no price for what is used. */
export function monthlyCost(pricing: TokenPricing, workload: Workload): bigint | null {
  const { inputPerMillionTokens: input, outputPerMillionTokens: output } = pricing;
  // A cached token without a price of its own costs as much as any other.
  const cached = pricing.cachedInputPerMillionTokens ?? input;
  if (input === null || cached === null) return null;
  if (output === null && workload.outputTokens > 0) return null;
  const cachedTokens = BigInt(Math.round((workload.inputTokens * workload.cachedPercent) / 100));
  const freshTokens = BigInt(workload.inputTokens) - cachedTokens;
  const perRequestTimesMillion =
    freshTokens * input +
    cachedTokens * cached +
    BigInt(workload.outputTokens) * (output ?? 0n) +
    pricing.perRequest * MILLION;
  const total = perRequestTimesMillion * BigInt(workload.requestsPerDay) * DAYS;
  return (total + MILLION / 2n) / MILLION;
}
