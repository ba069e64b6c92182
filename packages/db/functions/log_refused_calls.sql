-- Stores and counts requests that ended before they had an account, and so have no usage event. A row can stand for many
-- requests of the same kind, which its weight counts. Gateways of the previous release send no class: it follows from the
-- status then, as `classOfUnsettled` in packages/domain has it.
create or replace function log_refused_calls(batch json) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  with added as (
    insert into refused_calls (id, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group,
        is_stream, http_status, error_code, class, weight, requested_model, param, facts, session)
    select id, "organizationId", "teamId", "keyId", "userId", left("requestId", 200), endpoint, left("modelGroup", 200),
        "isStream", "httpStatus", "errorCode",
        coalesce("class", case when "httpStatus" = 499 then 'canceled' when "httpStatus" in (401, 402, 403, 429) then 'refused'
          when "httpStatus" >= 500 then 'failed' else 'rejected' end),
        greatest(1, coalesce(weight, 1)), left("requestedModel", 200), left(param, 200), facts,
        left(session, 128)
      from json_to_recordset(batch) as call (id uuid, "organizationId" text, "teamId" text, "keyId" text, "userId" text,
        "requestId" text, endpoint text, "modelGroup" text, "isStream" boolean, "httpStatus" smallint, "errorCode" text,
        "class" text, weight integer, "requestedModel" text, param text, facts jsonb, session text)
    on conflict do nothing
    returning *
  )
  insert into refused_rollups as r (organization_id, bucket_at, team_id, key_id, model_group, requests, failed, rejected,
      canceled, unlogged, unlogged_failed, unlogged_rejected, unlogged_canceled)
  select organization_id, bucket_of_event(id), coalesce(team_id, ''), key_id, model_group, sum(weight),
         coalesce(sum(weight) filter (where class = 'failed'), 0), coalesce(sum(weight) filter (where class = 'rejected'), 0),
         coalesce(sum(weight) filter (where class = 'canceled'), 0), sum(weight - 1),
         coalesce(sum(weight - 1) filter (where class = 'failed'), 0),
         coalesce(sum(weight - 1) filter (where class = 'rejected'), 0),
         coalesce(sum(weight - 1) filter (where class = 'canceled'), 0)
    from added group by 1, 2, 3, 4, 5
   order by 1, 2, 3, 4, 5
  on conflict (organization_id, bucket_at, team_id, key_id, model_group) do update
     set requests = r.requests + excluded.requests, failed = r.failed + excluded.failed,
         rejected = r.rejected + excluded.rejected, canceled = r.canceled + excluded.canceled,
         unlogged = r.unlogged + excluded.unlogged, unlogged_failed = r.unlogged_failed + excluded.unlogged_failed,
         unlogged_rejected = r.unlogged_rejected + excluded.unlogged_rejected,
         unlogged_canceled = r.unlogged_canceled + excluded.unlogged_canceled;
end
$$;

revoke execute on function log_refused_calls from public;
grant execute on function log_refused_calls to tollgate_gateway;
