-- Adds up a closed day by day and by hour, for reports.
create or replace function sum_up_day(summed_day date) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  insert into usage_hours (organization_id, hour_at, team_id, key_id, model_group, provider,
      requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost,
      latency_ms_sum, max_cost, max_latency_ms, max_tokens, latency_0, latency_1, latency_2, latency_3, latency_4,
      latency_5, latency_6, latency_7, latency_8, latency_9, latency_10, latency_11, latency_12, latency_13, latency_14,
      latency_15, latency_16, latency_17, latency_18, latency_19, margin, cache_saved, canceled, rejected)
  select organization_id, date_trunc('hour', bucket_at, 'UTC'), team_id, key_id, model_group, provider,
         sum(requests), sum(errors), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
         sum(output_tokens), sum(reasoning_tokens), sum(cost), sum(latency_ms_sum), max(max_cost), max(max_latency_ms),
         max(max_tokens), sum(latency_0), sum(latency_1), sum(latency_2), sum(latency_3), sum(latency_4),
         sum(latency_5), sum(latency_6), sum(latency_7), sum(latency_8), sum(latency_9), sum(latency_10),
         sum(latency_11), sum(latency_12), sum(latency_13), sum(latency_14), sum(latency_15), sum(latency_16),
         sum(latency_17), sum(latency_18), sum(latency_19), sum(margin), sum(cache_saved),
         sum(canceled), sum(rejected)
    from usage_rollups
   where bucket_at >= summed_day::timestamp at time zone 'UTC'
     and bucket_at < (summed_day + 1)::timestamp at time zone 'UTC'
   group by 1, 2, 3, 4, 5, 6
  on conflict do nothing;
  insert into usage_days (organization_id, day, team_id, key_id, model_group, provider,
      requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost,
      latency_ms_sum, max_cost, max_latency_ms, max_tokens, latency_0, latency_1, latency_2, latency_3, latency_4,
      latency_5, latency_6, latency_7, latency_8, latency_9, latency_10, latency_11, latency_12, latency_13, latency_14,
      latency_15, latency_16, latency_17, latency_18, latency_19, margin, cache_saved, canceled, rejected)
  select organization_id, summed_day, team_id, key_id, model_group, provider,
         sum(requests), sum(errors), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
         sum(output_tokens), sum(reasoning_tokens), sum(cost), sum(latency_ms_sum), max(max_cost), max(max_latency_ms),
         max(max_tokens), sum(latency_0), sum(latency_1), sum(latency_2), sum(latency_3), sum(latency_4),
         sum(latency_5), sum(latency_6), sum(latency_7), sum(latency_8), sum(latency_9), sum(latency_10),
         sum(latency_11), sum(latency_12), sum(latency_13), sum(latency_14), sum(latency_15), sum(latency_16),
         sum(latency_17), sum(latency_18), sum(latency_19), sum(margin), sum(cache_saved),
         sum(canceled), sum(rejected)
    from usage_hours
   where hour_at >= summed_day::timestamp at time zone 'UTC'
     and hour_at < (summed_day + 1)::timestamp at time zone 'UTC'
   group by organization_id, team_id, key_id, model_group, provider
  on conflict do nothing;
end
$$;

revoke execute on function sum_up_day from public;
