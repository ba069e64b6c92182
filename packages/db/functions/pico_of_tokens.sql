-- Returns the price of tokens in pico-USD.
create or replace function pico_of_tokens(
  input_pico bigint, output_pico bigint, cache_read_pico bigint, cache_write_pico bigint,
  reasoning_pico bigint, audio_input_pico bigint, audio_output_pico bigint,
  input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, output_tokens bigint, reasoning_tokens bigint,
  audio_input_tokens bigint, audio_output_tokens bigint
) returns numeric
  language sql immutable parallel safe
  return input_tokens::numeric * input_pico
    + (output_tokens - reasoning_tokens)::numeric * output_pico
    + case when cache_read_tokens > 0 then cache_read_tokens::numeric * coalesce(cache_read_pico, input_pico) else 0 end
    + case when cache_write_tokens > 0 then cache_write_tokens::numeric * coalesce(cache_write_pico, input_pico) else 0 end
    + case when reasoning_tokens > 0 then reasoning_tokens::numeric * coalesce(reasoning_pico, output_pico) else 0 end
    -- Audio tokens are already included above, so only the difference from the text price is added.
    + case when audio_input_tokens > 0
        then audio_input_tokens::numeric * (coalesce(audio_input_pico, input_pico) - input_pico) else 0 end
    + case when audio_output_tokens > 0
        then audio_output_tokens::numeric * (coalesce(audio_output_pico, output_pico) - output_pico) else 0 end;
