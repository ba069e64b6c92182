-- Returns how much less a call costs because the provider's prompt cache was used, in nano-USD, as `cacheSavings` in
-- packages/domain does: its price with all cached input as plain input, minus its price. Negative if the cache was
-- written but not read. `price` is the version that the call was charged at. The amounts can be summed by any column.
create or replace function cache_savings(event usage_events, price price_versions) returns bigint
  language sql immutable parallel safe
as $$
  select case when event.cache_read_tokens + event.cache_write_tokens = 0 then 0
    else price_of_call(price, event.input_tokens + event.cache_read_tokens + event.cache_write_tokens, 0, 0,
        event.output_tokens, event.reasoning_tokens, event.audio_input_tokens, event.audio_output_tokens,
        event.characters, event.audio_ms, event.images, event.searches, event.request_fees, event.web_searches,
        event.file_searches, event.code_sessions, event.tool_calls, 0)
      - price_of_call(price, event.input_tokens, event.cache_read_tokens, event.cache_write_tokens,
        event.output_tokens, event.reasoning_tokens, event.audio_input_tokens, event.audio_output_tokens,
        event.characters, event.audio_ms, event.images, event.searches, event.request_fees, event.web_searches,
        event.file_searches, event.code_sessions, event.tool_calls, event.long_cache_write_tokens)
    end;
$$;
