-- Returns the reason that the lost attempts of an event can't be posted, or null if they can.
create or replace function fault_of_lost_attempts(attempts json) returns text
  language sql stable
as $$
  select min(case
           when a.seq > 16 then 'too many lost attempts'
           when a.reason is null or a.reason not in ('retry', 'fallback', 'timeout', 'malformed', 'upstream')
             then 'unknown reason of a lost attempt'
           when a.cost is null or a.cost <= 0 or a.cost > 1e15
             or least((units)."inputTokens", (units)."cacheReadTokens", (units)."cacheWriteTokens", (units)."outputTokens",
                  (units)."reasoningTokens", (units)."audioInputTokens", (units)."audioOutputTokens", (units)."characters",
                  (units)."audioMs", (units)."images", (units).searches, (units)."requestFees", (units)."webSearches",
                  (units)."fileSearches", (units)."codeSessions", (units)."toolCalls", (units)."longCacheWriteTokens") < 0
             or (units)."reasoningTokens" + coalesce((units)."audioOutputTokens", 0) > (units)."outputTokens"
             or (units)."audioInputTokens" > (units)."inputTokens"
             or (units)."longCacheWriteTokens" > (units)."cacheWriteTokens"
             or greatest((units)."inputTokens", (units)."cacheReadTokens", (units)."cacheWriteTokens",
                  (units)."outputTokens", (units)."characters", (units)."audioMs", (units)."images",
                  (units).searches, (units)."requestFees", (units)."webSearches", (units)."fileSearches",
                  (units)."codeSessions", (units)."toolCalls", (units)."longCacheWriteTokens") > 1e12
             then 'a number of a lost attempt is out of bounds'
           when price.id is null then 'unknown price version of a lost attempt'
           when a.cost is distinct from price_of_call(price, (units)."inputTokens", (units)."cacheReadTokens",
             (units)."cacheWriteTokens", (units)."outputTokens", (units)."reasoningTokens",
             coalesce((units)."audioInputTokens", 0), coalesce((units)."audioOutputTokens", 0),
             coalesce((units)."characters", 0), coalesce((units)."audioMs", 0), coalesce((units)."images", 0),
             coalesce((units).searches, 0), coalesce((units)."requestFees", 0), coalesce((units)."webSearches", 0),
             coalesce((units)."fileSearches", 0), coalesce((units)."codeSessions", 0), coalesce((units)."toolCalls", 0),
             coalesce((units)."longCacheWriteTokens", 0))
             then 'cost of a lost attempt is not what its price version gives'
         end)
    from read_lost_attempts(attempts) as a left join price_versions as price on price.id = a.price_version_id;
$$;

revoke execute on function fault_of_lost_attempts from public;
