-- Stores and counts calls that were refused before any upstream was called.
create or replace function log_refused_calls(batch json) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  with added as (
    insert into refused_calls (id, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group,
        is_stream, http_status, error_code)
    select id, "organizationId", "teamId", "keyId", "userId", left("requestId", 200), endpoint, left("modelGroup", 200),
        "isStream", "httpStatus", "errorCode"
      from json_to_recordset(batch) as call (id uuid, "organizationId" text, "teamId" text, "keyId" text, "userId" text,
        "requestId" text, endpoint text, "modelGroup" text, "isStream" boolean, "httpStatus" smallint, "errorCode" text)
    on conflict do nothing
    returning *
  )
  insert into refused_rollups as r (organization_id, bucket_at, team_id, key_id, model_group, requests)
  select organization_id, bucket_of_event(id), coalesce(team_id, ''), key_id, model_group, count(*)
    from added group by 1, 2, 3, 4, 5
   order by 1, 2, 3, 4, 5
  on conflict (organization_id, bucket_at, team_id, key_id, model_group) do update
     set requests = r.requests + excluded.requests;
end
$$;

revoke execute on function log_refused_calls from public;
grant execute on function log_refused_calls to tollgate_gateway;
