-- Returns the bytes of a usage row that its chain entry covers: every column but its texts of the client, its day, which
-- follows from its ID, and its place in the chain. The binary form takes a fifth of the time of text, and depends on no
-- setting but the client's encoding, which is always UTF-8. The bytes must never change, because entries cover them for
-- years: a later column needs a function of its own.
create or replace function usage_facts(e usage_events) returns bytea
  language sql stable parallel safe
  return record_send(row(
    e.id, e.organization_id, e.team_id, e.key_id, e.user_id, e.endpoint, e.model_group, e.deployment_id, e.provider,
    e.is_stream, e.status, e.http_status, e.error_code, e.input_tokens, e.cache_read_tokens, e.cache_write_tokens,
    e.output_tokens, e.reasoning_tokens, e.usage_source, e.price_version_id, e.cost, e.is_billed, e.hold, e.from_lease,
    e.node_id, e.epoch, e.latency_ms, e.first_token_ms, e.transaction_id, e.state, e.ended_at, e.settled_at,
    e.audio_input_tokens, e.audio_output_tokens, e.characters, e.audio_ms, e.images, e.attempts, e.fallback_from,
    e.gateway_before_us, e.queue_us, e.failed_us, e.gateway_after_us, e.searches, e.loss, e.loss_transaction_id,
    e.request_fees, e.web_searches, e.file_searches, e.code_sessions, e.tool_calls, e.long_cache_write_tokens,
    e.provider_cost, e.reported_cost
  ));
