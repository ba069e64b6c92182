-- Returns the price of caching a token for one hour, in addition to the price of writing it to the cache, in pico-USD.
-- `is_long`: the prompt is in the price's tier.
create or replace function long_cache_surcharge(price price_versions, is_long boolean) returns bigint
  language sql immutable parallel safe
  return coalesce(case when is_long then (price).tier_long_cache_write_pico end, (price).long_cache_write_pico,
      case when is_long then (price).tier_cache_write_pico end, (price).cache_write_pico,
      case when is_long then (price).tier_input_pico end, (price).input_pico)
    - coalesce(case when is_long then (price).tier_cache_write_pico end, (price).cache_write_pico,
      case when is_long then (price).tier_input_pico end, (price).input_pico);
