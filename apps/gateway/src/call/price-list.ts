import type { PriceTerms } from "@tollgate/domain/pricing/price-terms.ts";

/** An organization's prices by model group. `*` is for all groups without their own. */
export type PriceList = ReadonlyMap<string, PriceTerms>;
