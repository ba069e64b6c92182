-- Stores the lost attempts of new events, with the transaction that posted their cost.
create or replace function keep_lost_attempts(fresh usage_events[], losers uuid[], losses json[], loss_id text) returns void
  language sql security definer set search_path from current
as $$
  insert into lost_attempts (day, event_id, seq, organization_id, reason, deployment_id, provider, input_tokens,
      cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, audio_input_tokens, audio_output_tokens,
      characters, audio_ms, images, searches, request_fees, web_searches, file_searches, code_sessions, tool_calls,
      long_cache_write_tokens, usage_source, price_version_id, cost, transaction_id)
  select e.day, e.id, attempt.seq, e.organization_id, attempt.reason, attempt.deployment_id, attempt.provider,
         (units)."inputTokens", (units)."cacheReadTokens", (units)."cacheWriteTokens", (units)."outputTokens",
         (units)."reasoningTokens", coalesce((units)."audioInputTokens", 0), coalesce((units)."audioOutputTokens", 0),
         coalesce((units)."characters", 0), coalesce((units)."audioMs", 0), coalesce((units)."images", 0),
         coalesce((units).searches, 0), coalesce((units)."requestFees", 0), coalesce((units)."webSearches", 0),
         coalesce((units)."fileSearches", 0), coalesce((units)."codeSessions", 0), coalesce((units)."toolCalls", 0),
         coalesce((units)."longCacheWriteTokens", 0), (units).source, attempt.price_version_id, attempt.cost,
         case when e.is_billed then loss_id end
    from unnest(losers, losses) as lost (id, attempts)
    join unnest(fresh) as e on e.id = lost.id
   cross join lateral read_lost_attempts(lost.attempts) as attempt;
$$;

revoke execute on function keep_lost_attempts from public;
