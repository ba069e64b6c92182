/** Facts that a price can depend on, as far as a request or a response states them. Others are null. */
export interface PriceFacts {
  /** The service tier, such as `priority`. */
  readonly serviceTier: string | null;
  /** The amount of context that a search adds: `low`, `medium`, or `high`. */
  readonly searchContext: string | null;
  readonly region: string | null;
}

export const NO_PRICE_FACTS: PriceFacts = Object.freeze({ serviceTier: null, searchContext: null, region: null });
