-- Returns the bytes of a posted lost attempt that the chain entry of its loss covers: every column but its transaction
-- and its time, which are those of the loss. As in `usage_facts`, the bytes must never change.
create or replace function lost_attempt_facts(a lost_attempts) returns bytea
  language sql stable parallel safe
  return record_send(row(
    a.event_id, a.seq, a.organization_id, a.reason, a.deployment_id, a.provider, a.input_tokens, a.cache_read_tokens,
    a.cache_write_tokens, a.output_tokens, a.reasoning_tokens, a.audio_input_tokens, a.audio_output_tokens, a.characters,
    a.audio_ms, a.images, a.searches, a.usage_source, a.price_version_id, a.cost, a.request_fees, a.web_searches,
    a.file_searches, a.code_sessions, a.tool_calls, a.long_cache_write_tokens
  ));
