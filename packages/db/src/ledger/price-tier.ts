import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../tables.generated.ts";

type TierColumns = Pick<
  Selectable<Tables["price_versions"]>,
  | "tier_above"
  | "tier_input_pico"
  | "tier_output_pico"
  | "tier_cache_read_pico"
  | "tier_cache_write_pico"
  | "tier_long_cache_write_pico"
>;

/** Reads the long-context tier of a price version; null if it has none. */
export function readPriceTier(row: { readonly [Name in keyof TierColumns]: TierColumns[Name] | null }): Price["tier"] {
  if (row.tier_above === null) return null;
  return {
    aboveInputTokens: Number(row.tier_above),
    input: row.tier_input_pico,
    output: row.tier_output_pico,
    cacheRead: row.tier_cache_read_pico,
    cacheWrite: row.tier_cache_write_pico,
    longCacheWrite: row.tier_long_cache_write_pico,
  };
}
