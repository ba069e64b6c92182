-- Returns each event of a batch once, with the reason if it can't be settled. An event whose losses don't match its
-- prices can't be settled. Malformed JSON is an error.
create or replace function assess_events(batch json) returns table (
  id uuid, day date, organization_id text, team_id text, key_id text, user_id text, request_id text, endpoint text,
  model_group text, deployment_id text, provider text, is_stream boolean, status text, http_status smallint, error_code text,
  units event_units, price_version_id text, cost bigint, is_billed boolean, hold bigint, from_lease bigint,
  node_id text, epoch integer, latency_ms integer, first_token_ms integer, ended_at_ms numeric, budgets json,
  has_shares boolean, attempts integer, fallback_from text, end_user text, gateway_before_us integer, queue_us integer,
  failed_us integer, gateway_after_us integer, loss bigint, lost_attempts json, session text, reason text
)
  language sql stable
as $$
  select distinct on (e.id) e.id, day_of_event(e.id), "organizationId", "teamId", "keyId", "userId", "requestId", e.endpoint,
         "modelGroup", "deploymentId", e.provider, "isStream", e.status, "httpStatus", "errorCode",
         usage, "priceVersionId", e.cost, "isBilled", e.hold, "fromLease",
         "nodeId", e.epoch, "latencyMs", "firstTokenMs", "endedAtMs", e.budgets,
         -- Most lists are empty, and comparing the text is cheaper than parsing it.
         e.budgets::text <> '[]' and json_typeof(e.budgets) = 'array',
         coalesce(e.attempts, 1), "fallbackFrom", left("endUser", 200), "gatewayBeforeUs", "queueUs", "failedUs",
         "gatewayAfterUs", coalesce(e.loss, 0), "lostAttempts", left(e.session, 128),
         case
           when substr(e.id::text, 15, 1) <> '7' then 'id is not a version 7 UUID'
           when "organizationId" is null and "isBilled" then 'billed to no organization'
           when "organizationId" is not null and quota.organization_id is null then 'unknown organization'
           when least(e.cost, e.hold, "fromLease", "latencyMs", e.epoch, (usage)."inputTokens", (usage)."cacheReadTokens",
                  (usage)."cacheWriteTokens", (usage)."outputTokens", (usage)."reasoningTokens",
                  (usage)."audioInputTokens", (usage)."audioOutputTokens", (usage)."characters", (usage)."audioMs",
                  (usage)."images", (usage).searches, (usage)."requestFees", (usage)."webSearches",
                  (usage)."fileSearches", (usage)."codeSessions", (usage)."toolCalls", (usage)."longCacheWriteTokens",
                  e.attempts, e.loss, (usage)."reportedCost") < 0
             or (usage)."reasoningTokens" + coalesce((usage)."audioOutputTokens", 0) > (usage)."outputTokens"
             or (usage)."audioInputTokens" > (usage)."inputTokens"
             or (usage)."longCacheWriteTokens" > (usage)."cacheWriteTokens"
             or greatest((usage)."inputTokens", (usage)."cacheReadTokens", (usage)."cacheWriteTokens",
                  (usage)."outputTokens", (usage)."characters", (usage)."audioMs", (usage)."images",
                  (usage).searches, (usage)."requestFees", (usage)."webSearches", (usage)."fileSearches",
                  (usage)."codeSessions", (usage)."toolCalls", (usage)."longCacheWriteTokens") > 1e12
             or greatest(e.cost, e.hold, e.loss, (usage)."reportedCost") > 1e15
             then 'a number is out of bounds'
           when (e.cost > 0 or e.loss > 0) and price.id is null then 'unknown price version'
           when price.id is not null and e.cost + coalesce(e.loss, 0)
             <> price_of_call(price, (usage)."inputTokens", (usage)."cacheReadTokens",
             (usage)."cacheWriteTokens", (usage)."outputTokens", (usage)."reasoningTokens", (usage)."audioInputTokens",
             (usage)."audioOutputTokens", (usage)."characters", (usage)."audioMs", (usage)."images",
             (usage).searches, (usage)."requestFees", (usage)."webSearches", (usage)."fileSearches",
             (usage)."codeSessions", (usage)."toolCalls", (usage)."longCacheWriteTokens")
             then 'cost is not what its price version gives'
           when "lostAttempts" is not null then fault_of_lost_attempts("lostAttempts")
         end
    from rows from (json_to_recordset(batch) as (
           id uuid, "organizationId" text, "teamId" text, "keyId" text, "userId" text, "requestId" text, endpoint text,
           "modelGroup" text, "deploymentId" text, provider text, "isStream" boolean, status text, "httpStatus" smallint,
           "errorCode" text, usage event_units, "priceVersionId" text, cost bigint, "isBilled" boolean, hold bigint,
           "fromLease" bigint, "nodeId" text, epoch integer, "endedAtMs" numeric, "latencyMs" integer, "firstTokenMs" integer,
           budgets json, attempts integer, "fallbackFrom" text, "endUser" text, "gatewayBeforeUs" integer, "queueUs" integer,
           "failedUs" integer, "gatewayAfterUs" integer, loss bigint, "lostAttempts" json, session text
         )) with ordinality as e
    left join organization_quota as quota on quota.organization_id = "organizationId"
    left join price_versions as price on price.id = "priceVersionId"
   order by e.id, ordinality;
$$;

revoke execute on function assess_events from public;
