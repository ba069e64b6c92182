-- Adds events to the 15-minute rollups. Each failure counts as an error. `rejected` counts the failures that the request
-- caused, with the statuses of `classOfSettled` in packages/domain. The bounds of the latency steps are written out,
-- because computing the step of each call makes settlement several times slower.
create or replace function add_to_rollups(fresh usage_events[]) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  insert into usage_rollups as r (organization_id, bucket_at, team_id, key_id, model_group, provider,
      requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost,
      latency_ms_sum, max_cost, max_latency_ms, max_tokens, latency_0, latency_1, latency_2, latency_3, latency_4,
      latency_5, latency_6, latency_7, latency_8, latency_9, latency_10, latency_11, latency_12, latency_13, latency_14,
      latency_15, latency_16, latency_17, latency_18, latency_19, margin, cache_saved, canceled, rejected)
  select organization_id, bucket_of_event(e.id), coalesce(team_id, ''), key_id, model_group, coalesce(provider, ''),
         count(*), count(*) filter (where status = 'failure'),
         sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(output_tokens), sum(reasoning_tokens),
         sum(cost), sum(latency_ms),
         max(cost), max(latency_ms), max(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens),
         count(*) filter (where latency_ms < 50), count(*) filter (where latency_ms >= 50 and latency_ms < 100),
         count(*) filter (where latency_ms >= 100 and latency_ms < 200),
         count(*) filter (where latency_ms >= 200 and latency_ms < 300),
         count(*) filter (where latency_ms >= 300 and latency_ms < 450),
         count(*) filter (where latency_ms >= 450 and latency_ms < 700),
         count(*) filter (where latency_ms >= 700 and latency_ms < 1000),
         count(*) filter (where latency_ms >= 1000 and latency_ms < 1500),
         count(*) filter (where latency_ms >= 1500 and latency_ms < 2200),
         count(*) filter (where latency_ms >= 2200 and latency_ms < 3300),
         count(*) filter (where latency_ms >= 3300 and latency_ms < 5000),
         count(*) filter (where latency_ms >= 5000 and latency_ms < 7500),
         count(*) filter (where latency_ms >= 7500 and latency_ms < 11000),
         count(*) filter (where latency_ms >= 11000 and latency_ms < 17000),
         count(*) filter (where latency_ms >= 17000 and latency_ms < 25000),
         count(*) filter (where latency_ms >= 25000 and latency_ms < 40000),
         count(*) filter (where latency_ms >= 40000 and latency_ms < 60000),
         count(*) filter (where latency_ms >= 60000 and latency_ms < 120000),
         count(*) filter (where latency_ms >= 120000 and latency_ms < 300000),
         count(*) filter (where latency_ms >= 300000),
         sum(cost - coalesce(reported_cost, provider_cost, cost + loss)),
         -- The price is read only for the calls that used a cache.
         coalesce(sum(case when cache_read_tokens > 0 or cache_write_tokens > 0 then
           (select cache_savings(e, price) from price_versions as price where price.id = e.price_version_id) end), 0),
         count(*) filter (where status = 'client_disconnect'),
         count(*) filter (where status = 'failure' and http_status in (400, 413, 422))
    from unnest(fresh) as e
   where organization_id is not null
   group by 1, 2, 3, 4, 5, 6
  on conflict (organization_id, bucket_at, team_id, key_id, model_group, provider) do update
     set max_cost = greatest(r.max_cost, excluded.max_cost),
         max_latency_ms = greatest(r.max_latency_ms, excluded.max_latency_ms),
         max_tokens = greatest(r.max_tokens, excluded.max_tokens),
         requests = r.requests + excluded.requests, errors = r.errors + excluded.errors,
         input_tokens = r.input_tokens + excluded.input_tokens,
         cache_read_tokens = r.cache_read_tokens + excluded.cache_read_tokens,
         cache_write_tokens = r.cache_write_tokens + excluded.cache_write_tokens,
         output_tokens = r.output_tokens + excluded.output_tokens,
         reasoning_tokens = r.reasoning_tokens + excluded.reasoning_tokens, cost = r.cost + excluded.cost,
         latency_ms_sum = r.latency_ms_sum + excluded.latency_ms_sum, latency_0 = r.latency_0 + excluded.latency_0,
         latency_1 = r.latency_1 + excluded.latency_1, latency_2 = r.latency_2 + excluded.latency_2,
         latency_3 = r.latency_3 + excluded.latency_3, latency_4 = r.latency_4 + excluded.latency_4,
         latency_5 = r.latency_5 + excluded.latency_5, latency_6 = r.latency_6 + excluded.latency_6,
         latency_7 = r.latency_7 + excluded.latency_7, latency_8 = r.latency_8 + excluded.latency_8,
         latency_9 = r.latency_9 + excluded.latency_9, latency_10 = r.latency_10 + excluded.latency_10,
         latency_11 = r.latency_11 + excluded.latency_11, latency_12 = r.latency_12 + excluded.latency_12,
         latency_13 = r.latency_13 + excluded.latency_13, latency_14 = r.latency_14 + excluded.latency_14,
         latency_15 = r.latency_15 + excluded.latency_15, latency_16 = r.latency_16 + excluded.latency_16,
         latency_17 = r.latency_17 + excluded.latency_17, latency_18 = r.latency_18 + excluded.latency_18,
         latency_19 = r.latency_19 + excluded.latency_19, margin = r.margin + excluded.margin,
         cache_saved = r.cache_saved + excluded.cache_saved, canceled = r.canceled + excluded.canceled,
         rejected = r.rejected + excluded.rejected;
end
$$;

revoke execute on function add_to_rollups from public;
