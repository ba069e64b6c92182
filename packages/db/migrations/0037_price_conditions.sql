-- Fees that providers charge on top of tokens, one-hour cache writes, and the condition of a price (decision 70).
-- Existing rows have counts of zero, no such prices, and no condition. Constraints are not validated here, because that
-- reads whole tables.
alter table price_versions
  add column per_request_pico bigint, -- null: not charged by it, as for the next four
  add column per_web_search_pico bigint,
  add column per_file_search_pico bigint,
  add column per_code_session_pico bigint,
  add column per_tool_call_pico bigint,
  add column long_cache_write_pico bigint, -- null: the price of other cache writes applies
  add column tier_long_cache_write_pico bigint,
  add column condition text; -- what the provider served at this price, such as 'service tier priority'; null: no condition
alter table price_versions add constraint price_versions_fees_check check (
  per_request_pico >= 0 and per_web_search_pico >= 0 and per_file_search_pico >= 0 and per_code_session_pico >= 0
    and per_tool_call_pico >= 0 and long_cache_write_pico >= 0 and tier_long_cache_write_pico >= 0
) not valid;
alter table price_versions add constraint price_versions_condition_check check (length(condition) between 1 and 200) not valid;

alter table usage_events
  add column request_fees bigint not null default 0,
  add column web_searches bigint not null default 0,
  add column file_searches bigint not null default 0,
  add column code_sessions bigint not null default 0,
  add column tool_calls bigint not null default 0,
  add column long_cache_write_tokens bigint not null default 0; -- part of cache_write_tokens
alter table usage_events add constraint usage_events_fees_check check (
  request_fees >= 0 and web_searches >= 0 and file_searches >= 0 and code_sessions >= 0 and tool_calls >= 0
    and long_cache_write_tokens between 0 and cache_write_tokens
) not valid;

alter table lost_attempts
  add column request_fees bigint not null default 0,
  add column web_searches bigint not null default 0,
  add column file_searches bigint not null default 0,
  add column code_sessions bigint not null default 0,
  add column tool_calls bigint not null default 0,
  add column long_cache_write_tokens bigint not null default 0;
alter table lost_attempts add constraint lost_attempts_fees_check check (
  request_fees >= 0 and web_searches >= 0 and file_searches >= 0 and code_sessions >= 0 and tool_calls >= 0
    and long_cache_write_tokens between 0 and cache_write_tokens
) not valid;

alter type event_units add attribute "requestFees" bigint, add attribute "webSearches" bigint,
  add attribute "fileSearches" bigint, add attribute "codeSessions" bigint, add attribute "toolCalls" bigint,
  add attribute "longCacheWriteTokens" bigint;
