-- Returns the same ID as `priceVersionId` in packages/domain. A price without the units that were added later keeps the
-- ID that it had before.
create or replace function price_version_id(price price_versions) returns text
  language sql immutable parallel safe
  return 'price_' || left(encode(sha256(convert_to(concat_ws(E'\n', (price).model, (price).input_pico, (price).output_pico,
    coalesce((price).cache_read_pico::text, '-'), coalesce((price).cache_write_pico::text, '-'),
    coalesce((price).reasoning_pico::text, '-'),
    'audioInput=' || (price).audio_input_pico, 'audioOutput=' || (price).audio_output_pico,
    'perCharacter=' || (price).per_character_pico, 'perSecond=' || (price).per_second_pico,
    'perImage=' || (price).per_image_pico,
    'tierAbove=' || (price).tier_above, 'tierInput=' || (price).tier_input_pico,
    'tierOutput=' || (price).tier_output_pico, 'tierCacheRead=' || (price).tier_cache_read_pico,
    'tierCacheWrite=' || (price).tier_cache_write_pico, 'perSearch=' || (price).per_search_pico,
    'perRequest=' || (price).per_request_pico, 'perWebSearch=' || (price).per_web_search_pico,
    'perFileSearch=' || (price).per_file_search_pico, 'perCodeSession=' || (price).per_code_session_pico,
    'perToolCall=' || (price).per_tool_call_pico, 'longCacheWrite=' || (price).long_cache_write_pico,
    'tierLongCacheWrite=' || (price).tier_long_cache_write_pico, 'condition=' || (price).condition,
    'cost=' || (price).cost_version_id),
    'UTF8')), 'hex'), 32);
