-- Returns the cost of a call, as `priceCall` in packages/domain does. The sum is exact in thousandths of a pico-USD,
-- because audio is counted in milliseconds and priced per second, and is rounded half-up to nano-USD once.
create or replace function price_of_call(
  price price_versions,
  input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, output_tokens bigint, reasoning_tokens bigint,
  audio_input_tokens bigint, audio_output_tokens bigint, characters bigint, audio_ms bigint, images bigint,
  searches bigint, request_fees bigint, web_searches bigint, file_searches bigint, code_sessions bigint,
  tool_calls bigint, long_cache_write_tokens bigint
) returns bigint
  language sql immutable parallel safe
  return div(
    1000 * (
      case when input_tokens + cache_read_tokens + cache_write_tokens > (price).tier_above
        then pico_of_tokens(coalesce((price).tier_input_pico, (price).input_pico),
          coalesce((price).tier_output_pico, (price).output_pico),
          coalesce((price).tier_cache_read_pico, (price).cache_read_pico),
          coalesce((price).tier_cache_write_pico, (price).cache_write_pico),
          (price).reasoning_pico, (price).audio_input_pico, (price).audio_output_pico,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          audio_input_tokens, audio_output_tokens)
        else pico_of_tokens((price).input_pico, (price).output_pico, (price).cache_read_pico, (price).cache_write_pico,
          (price).reasoning_pico, (price).audio_input_pico, (price).audio_output_pico,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          audio_input_tokens, audio_output_tokens)
      end
      + case when characters > 0 then characters::numeric * coalesce((price).per_character_pico, 0) else 0 end
      + case when images > 0 then images::numeric * coalesce((price).per_image_pico, 0) else 0 end
      + case when searches > 0 then searches::numeric * coalesce((price).per_search_pico, 0) else 0 end
      + case when request_fees > 0 then request_fees::numeric * coalesce((price).per_request_pico, 0) else 0 end
      + case when web_searches > 0 then web_searches::numeric * coalesce((price).per_web_search_pico, 0) else 0 end
      + case when file_searches > 0 then file_searches::numeric * coalesce((price).per_file_search_pico, 0) else 0 end
      + case when code_sessions > 0 then code_sessions::numeric * coalesce((price).per_code_session_pico, 0) else 0 end
      + case when tool_calls > 0 then tool_calls::numeric * coalesce((price).per_tool_call_pico, 0) else 0 end
      -- One-hour cache writes are already included above, so only the difference from other cache writes is added.
      + case when long_cache_write_tokens > 0
          then long_cache_write_tokens::numeric * long_cache_surcharge(price,
            input_tokens + cache_read_tokens + cache_write_tokens > (price).tier_above)
          else 0 end
    )
    + case when audio_ms > 0 then audio_ms::numeric * coalesce((price).per_second_pico, 0) else 0 end
    + 500000,
    1000000
  )::bigint;

-- The previous release calls this one. It stays until a contract migration drops it.
create or replace function price_of_call(
  price price_versions,
  input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, output_tokens bigint, reasoning_tokens bigint,
  audio_input_tokens bigint, audio_output_tokens bigint, characters bigint, audio_ms bigint, images bigint, searches bigint
) returns bigint
  language sql immutable parallel safe
  return div(
    1000 * (
      case when input_tokens + cache_read_tokens + cache_write_tokens > (price).tier_above
        then pico_of_tokens(coalesce((price).tier_input_pico, (price).input_pico),
          coalesce((price).tier_output_pico, (price).output_pico),
          coalesce((price).tier_cache_read_pico, (price).cache_read_pico),
          coalesce((price).tier_cache_write_pico, (price).cache_write_pico),
          (price).reasoning_pico, (price).audio_input_pico, (price).audio_output_pico,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          audio_input_tokens, audio_output_tokens)
        else pico_of_tokens((price).input_pico, (price).output_pico, (price).cache_read_pico, (price).cache_write_pico,
          (price).reasoning_pico, (price).audio_input_pico, (price).audio_output_pico,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          audio_input_tokens, audio_output_tokens)
      end
      + case when characters > 0 then characters::numeric * coalesce((price).per_character_pico, 0) else 0 end
      + case when images > 0 then images::numeric * coalesce((price).per_image_pico, 0) else 0 end
      + case when searches > 0 then searches::numeric * coalesce((price).per_search_pico, 0) else 0 end
    )
    + case when audio_ms > 0 then audio_ms::numeric * coalesce((price).per_second_pico, 0) else 0 end
    + 500000,
    1000000
  )::bigint;

-- Called by releases up to schema 28. It doesn't count searches, and stays until a contract migration drops it.
create or replace function price_of_call(
  price price_versions,
  input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, output_tokens bigint, reasoning_tokens bigint,
  audio_input_tokens bigint, audio_output_tokens bigint, characters bigint, audio_ms bigint, images bigint
) returns bigint
  language sql immutable parallel safe
  return div(
    1000 * (
      case when input_tokens + cache_read_tokens + cache_write_tokens > (price).tier_above
        then pico_of_tokens(coalesce((price).tier_input_pico, (price).input_pico),
          coalesce((price).tier_output_pico, (price).output_pico),
          coalesce((price).tier_cache_read_pico, (price).cache_read_pico),
          coalesce((price).tier_cache_write_pico, (price).cache_write_pico),
          (price).reasoning_pico, (price).audio_input_pico, (price).audio_output_pico,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          audio_input_tokens, audio_output_tokens)
        else pico_of_tokens((price).input_pico, (price).output_pico, (price).cache_read_pico, (price).cache_write_pico,
          (price).reasoning_pico, (price).audio_input_pico, (price).audio_output_pico,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          audio_input_tokens, audio_output_tokens)
      end
      + case when characters > 0 then characters::numeric * coalesce((price).per_character_pico, 0) else 0 end
      + case when images > 0 then images::numeric * coalesce((price).per_image_pico, 0) else 0 end
    )
    + case when audio_ms > 0 then audio_ms::numeric * coalesce((price).per_second_pico, 0) else 0 end
    + 500000,
    1000000
  )::bigint;

-- No release calls this function. It stays until a contract migration drops it.
create or replace function price_of_call(
  price price_versions,
  input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, output_tokens bigint, reasoning_tokens bigint
) returns bigint
  language sql immutable parallel safe
  return div(
    input_tokens::numeric * (price).input_pico
      + (output_tokens - reasoning_tokens)::numeric * (price).output_pico
      + cache_read_tokens::numeric * coalesce((price).cache_read_pico, (price).input_pico)
      + cache_write_tokens::numeric * coalesce((price).cache_write_pico, (price).input_pico)
      + reasoning_tokens::numeric * coalesce((price).reasoning_pico, (price).output_pico)
      + 500,
    1000
  )::bigint;
