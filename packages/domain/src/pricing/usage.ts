import type { UnitCounts } from "./billing-units.ts";
import { countTokens } from "./units.generated.ts";

/** Usage of a call by billing unit. */
export interface Usage extends UnitCounts {
  /** `reported` by the provider, or `estimated` by the gateway. */
  readonly source: "reported" | "estimated";
}

export const NO_USAGE: Usage = countTokens(0, 0, 0, 0, 0, 0, 0, "reported");
