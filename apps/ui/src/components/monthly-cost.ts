/** Prices of a model in nano-USD per million tokens; null if unpriced. */
interface TokenPricing {
  readonly inputPerMillionTokens: bigint | null;
  readonly outputPerMillionTokens: bigint | null;
  readonly cachedInputPerMillionTokens: bigint | null;
  readonly perRequest: bigint;
}

/** Request volume for a cost estimate. */
export interface Workload {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Share of cached input, in percent. */
  readonly cachedPercent: number;
  readonly requestsPerDay: number;
}

const DAYS = 30n;
const MILLION = 1_000_000n;

/** Returns the cost for 30 days in nano-USD, rounded half up once; null if the model has no price for a used unit. */
export function monthlyCost(pricing: TokenPricing, workload: Workload): bigint | null {
  const { inputPerMillionTokens: input, outputPerMillionTokens: output } = pricing;
  // If there is no cached price, cached tokens cost as much as uncached tokens.
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
