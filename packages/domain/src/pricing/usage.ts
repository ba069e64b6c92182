import type { NanoUsd } from "../money.ts";
import type { UnitCounts } from "./billing-units.ts";
import type { PriceFacts } from "./price-facts.ts";
import { countTokens } from "./units.generated.ts";

/** Usage of a call by billing unit. */
export interface Usage extends UnitCounts {
  /** `reported` by the provider, or `estimated` by the gateway. */
  readonly source: "reported" | "estimated";
  /** What the provider served, if the response says so and the price can depend on it. */
  readonly served?: PriceFacts;
  /** What the provider charges for the call, if the response says so. It never changes what the caller pays. */
  readonly reportedCost?: NanoUsd;
}

export const NO_USAGE: Usage = countTokens(0, 0, 0, 0, 0, 0, 0, 0, "reported");
